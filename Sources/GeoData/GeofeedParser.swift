import IPNetworks
import VisibleText

/// Parses the lines of a geofeed.
struct GeofeedParser {
    private(set) var entries: [Geofeed.Entry] = []
    private(set) var problems: [Geofeed.Problem] = []
    private(set) var leftOut = 0
    /// The line of each prefix.
    private var lines: [IPPrefix: Int] = [:]
    private var line = 0

    mutating func parse(_ bytes: [UInt8]) {
        // A byte order mark is not part of the first prefix.
        let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
        var rest = text
        // One row at a time: a list of all would be many times the size of the file.
        while !rest.isEmpty {
            let row = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[row.endIndex...].dropFirst()
            line += 1
            let data = row.prefix { $0 != UInt8(ascii: "#") }
            if data.allSatisfy(Self.isBlank) { continue }
            parse(row: data)
        }
    }

    private mutating func report(_ message: String) {
        leftOut += 1
        if problems.count < Geofeed.maximumProblems { problems.append(Geofeed.Problem(line: line, message: message)) }
    }

    private mutating func parse(row: ArraySlice<UInt8>) {
        guard row.allSatisfy({ $0 < 0x80 }) || String(validating: row, as: UTF8.self) != nil else {
            return report("the line is not UTF-8 text: save the feed in that encoding")
        }
        guard let fields = Self.fields(row) else {
            return report("a quote is not closed, or text follows it: write fields without quotes")
        }
        guard fields.count <= 5 else {
            return report(
                "\(fields.count) fields, expected prefix,country,region,city,postal code: remove the fields after the fifth"
            )
        }
        guard let prefix = Self.prefix(fields[0]) else {
            return report(
                "\(VisibleText.quoted(fields[0])) is not a network, expected a prefix without host bits or an address: write it like "
                    + "192.0.2.0/24")
        }
        guard !prefix.isSixToFour else {
            return report("\(prefix) is 6to4: give its IPv4 network instead")
        }
        guard !prefix.isMapped else {
            return report("\(prefix) is an IPv4-mapped IPv6 prefix: give the IPv4 network instead")
        }
        if let first = lines[prefix] { return report("\(prefix) is given twice, first at line \(first): remove one") }
        func field(_ index: Int) -> String? { index < fields.count && !fields[index].isEmpty ? fields[index] : nil }
        let country = field(1)?.uppercased()
        // Checked before uppercasing: "ß" would become SS, the code of South Sudan.
        if let code = field(1)?.utf8, !(code.count == 2 && code.allSatisfy { (0x41...0x5a).contains($0 & 0xdf) }) {
            return report(
                "\(VisibleText.quoted(fields[1])) is not a country code, expected a two-letter code (ISO 3166-1): write it like DE"
            )
        }
        if country == nil, field(2) ?? field(3) != nil {
            return report("\(prefix) has a region or a city but no country: add the country's two-letter code")
        }
        lines[prefix] = line
        // No country, also written as ZZ: not to be located.
        entries.append(
            Geofeed.Entry(
                prefix: prefix, country: country == "ZZ" ? nil : country, region: country == "ZZ" ? nil : field(2),
                city: country == "ZZ" ? nil : field(3), line: line))
    }

    private static func prefix(_ text: String) -> IPPrefix? {
        if let prefix = IPPrefix(text) { return prefix }
        return IPAddress(text).map { IPPrefix(address: $0, length: $0.family.bitWidth) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    /// The fields between commas, trimmed. In quotes, commas are text and two quotes are one (RFC 4180, section 2). Nil
    /// when quotes are used in another way.
    private static func fields(_ row: ArraySlice<UInt8>) -> [String]? {
        var fields: [String] = []
        var rest = row
        while true {
            rest = rest.drop(while: isBlank)
            var field: [UInt8] = []
            if rest.first == UInt8(ascii: "\"") {
                guard let text = quoted(&rest) else { return nil }
                field = text
            } else {
                let text = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest[text.endIndex...]
                field = Array(text.reversed().drop(while: isBlank).reversed())
            }
            fields.append(String(decoding: field, as: UTF8.self))
            rest = rest.drop(while: isBlank)
            guard let next = rest.first else { return fields }
            guard next == UInt8(ascii: ",") else { return nil }
            rest = rest.dropFirst()
        }
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var field: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\"") else {
                field.append(byte)
                continue
            }
            guard rest.first == UInt8(ascii: "\"") else { return field }
            field.append(rest.removeFirst())
        }
        return nil
    }
}

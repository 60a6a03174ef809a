import DNSWire
import Health
import Yams

/// Checks of type `dns`.
extension ConfigurationReader {
    private enum Code: String, CaseIterable {
        case noError = "NOERROR"
        case formErr = "FORMERR"
        case servFail = "SERVFAIL"
        case nxDomain = "NXDOMAIN"
        case notImp = "NOTIMP"
        case refused = "REFUSED"

        /// RFC 1035, section 4.1.1.
        var number: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) }
    }

    mutating func dns(_ fields: Fields) -> Check.Probe? {
        var port: Int? = 53
        if let node = fields["port"] { port = integer(node, name: fields.name("port"), in: 1...65_535) }
        var code: Code? = .noError
        if let node = fields["code"] { code = choice(node, name: fields.name("code")) }
        var type: RecordType? = .soa
        if let node = fields["record"] {
            let text = text(node, name: fields.name("record"), expected: "a record type")
            type = text.flatMap { RecordType($0) }
            if text != nil, type == nil {
                report(node.place, "\(fields.name("record")) is \(node.kind), expected a record type: write it like A")
            }
        }
        guard let node = required("name", in: fields, example: "name: example.com"),
            let name = text(node, name: fields.name("name"), expected: "a domain name")
        else { return nil }
        do { _ = try DomainName(name) } catch {
            report(node.place, "\(fields.name("name")) is not a domain name (\(error)): correct it")
            return nil
        }
        guard let port, let code, let type else { return nil }
        return .dns(
            DNSProbe(port: UInt16(port), name: name, type: type.rawValue, responseCode: code.number))
    }
}

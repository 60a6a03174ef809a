import FuzzSupport
import GeoData
import IPNetworks

/// The bytes as a geofeed (RFC 8805).
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: count))
    let rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let carriageReturns = Array(rows.joined(separator: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]))
    do throws(GeofeedError) {
        let feed = try Geofeed.parse(bytes)
        check(feed.problems, rows.count)
        require(feed.problems.count == min(feed.leftOut, Geofeed.maximumProblems), "\(feed.leftOut) lines are left out")
        require(feed.entries.count + feed.leftOut <= rows.count, "more lines than there are")
        for entry in feed.entries { check(entry, rows) }
        require(isIncreasing(feed.entries.map(\.line)), "the entries are not in the order of the feed")
        require(Set(feed.entries.map(\.prefix)).count == feed.entries.count, "a prefix is there twice")
        checkWriting(feed.entries)
        require((try? Geofeed.parse(carriageReturns))?.entries == feed.entries, "CRLF makes another feed")
    } catch {
        require(!error.problems.isEmpty, "refused without a problem")
        check(error.problems, rows.count)
        require((try? Geofeed.parse(carriageReturns)) == nil, "refused, and taken with CRLF")
    }
    return 0
}

private func check(_ problems: [Geofeed.Problem], _ lines: Int) {
    require(problems.count <= Geofeed.maximumProblems, "\(problems.count) problems")
    for problem in problems {
        require((1...lines).contains(problem.line), "\(problem.message): no line \(problem.line)")
        requireReadable(problem.message)
    }
    require(isIncreasing(problems.map(\.line)), "the problems are not in the order of the feed")
}

private func check(_ entry: Geofeed.Entry, _ rows: [ArraySlice<UInt8>]) {
    require((1...rows.count).contains(entry.line), "\(entry): no such line")
    require(!entry.prefix.isSixToFour && !entry.prefix.isMapped, "\(entry): an address of another kind")
    require(IPPrefix("\(entry.prefix)") == entry.prefix, "\(entry): its own text is another network")
    require(entry.region?.isEmpty != true && entry.city?.isEmpty != true, "\(entry): an empty name")
    guard let country = entry.country else {
        return require(entry.region == nil && entry.city == nil, "\(entry): in no country")
    }
    // Not by way of Unicode: ß in capitals would be South Sudan.
    let letters = Array(country.utf8)
    let row = rows[entry.line - 1].map { (0x61...0x7a).contains($0) ? $0 & 0xdf : $0 }
    require(letters.count == 2 && letters.allSatisfy { (0x41...0x5a).contains($0) }, "\(entry): no country")
    require(zip(row, row.dropFirst()).contains { $0 == letters[0] && $1 == letters[1] }, "\(entry): not in its line")
}

/// The entries as a feed of their own, all names in quotes, are the same entries.
private func checkWriting(_ entries: [Geofeed.Entry]) {
    func quoted(_ text: String?) -> String {
        let parts = (text ?? "").unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(parts.map(String.init).joined(separator: "\"\""))\""
    }
    var text = ""
    for entry in entries {
        text += "\(entry.prefix),\(entry.country ?? ""),\(quoted(entry.region)),\(quoted(entry.city)),\n"
    }
    let written = Array(text.utf8)
    guard let again = try? Geofeed.parse(written) else { fatalError("\(entries): refused when written") }
    require(again.leftOut == 0, "\(again.problems): left out when written")
    require(again.entries.count == entries.count, "entries are lost when written")
    for (written, entry) in zip(again.entries, entries) {
        let isSame = written.prefix == entry.prefix && written.country == entry.country
        require(isSame && written.region == entry.region && written.city == entry.city, "\(entry): read as \(written)")
    }
}

private func isIncreasing(_ numbers: [Int]) -> Bool { zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } }

import ConfigurationModel
import IPNetworks
import LinuxSupport
public import Location
import Steering

/// Measured times between places and nodes, from a file of lines `place,node,milliseconds`.
struct LatencyFile: Sendable {
    /// Place → id of the node → milliseconds.
    private let rows: [GeoRule.Match: [String: Int]]
    /// Places named in the file, each with its first line.
    let places: [(match: GeoRule.Match, line: Int)]
    /// The same for nodes.
    private let nodes: [(id: String, line: Int)]
    let path: String

    /// Maximum size of a file in bytes: 64 MiB.
    static let maximumSize = 64 << 20
    /// Maximum lines in a file.
    static let maximumLines = 1_000_000
    /// Maximum number of lines reported as wrong.
    fileprivate static let maximumProblems = 100

    /// Reads the file at `path`.
    ///
    /// - Parameters:
    ///   - nodes: ids of the configuration's nodes.
    ///   - isLearned: whether the daemon writes the file. If so, a missing file counts as empty, and lines for other
    ///     nodes are skipped.
    ///   - effort: informed of how much is parsed.
    /// - Throws: all problems of the file's lines, or the reason that it cannot be read.
    init(
        path: String, nodes: Set<String>, isLearned: Bool = false, _ effort: LoadingEffort
    ) throws(LoadProblem) {
        if isLearned, FileStamp(path) == nil {
            (rows, places, self.nodes, self.path) = ([:], [], [], path)
            return
        }
        let contents: FileContents
        do { contents = try FileContents(path: path, limit: Self.maximumSize) } catch {
            throw LoadProblem([
                "latency file \(path) cannot be read (\(error)): check that it is a file of at most 64 MiB that nearcastd may read"
            ])
        }
        guard let text = String(validating: contents.bytes, as: UTF8.self) else {
            throw LoadProblem(["latency file \(path) is not UTF-8 text: save it in that encoding"])
        }
        effort.parses(bytes: contents.bytes.count)
        var reading = LatencyReading(path: path, nodes: nodes, isLearned: isLearned)
        reading.read(text)
        guard reading.problems.isEmpty else { throw LoadProblem(reading.problems) }
        rows = reading.rows
        places = reading.lines.map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
        self.nodes = reading.nodeLines.map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
        self.path = path
    }

    /// Lines that name none of `nodes`: a node may have been removed since the file was read.
    func problems(nodes known: Set<String>) -> [String] {
        nodes.filter { !known.contains($0.id) }.prefix(Self.maximumProblems).map {
            "\(path):\($0.line): \(LatencyReading.unknownNode($0.id))"
        }
    }

    /// The times of nodes that exist.
    ///
    /// - Parameter nodes: node id → index.
    func table(nodes: [String: Int]) -> LatencyTable {
        LatencyTable(
            rows.mapValues { times in
                Dictionary(
                    uniqueKeysWithValues: times.compactMap { id, time in nodes[id].map { ($0, time) } })
            })
    }
}

/// The parser of a latency file.
private struct LatencyReading {
    let path: String
    let nodes: Set<String>
    /// Whether lines of other nodes are skipped.
    let isLearned: Bool
    private(set) var rows: [GeoRule.Match: [String: Int]] = [:]
    private(set) var lines: [GeoRule.Match: Int] = [:]
    private(set) var nodeLines: [String: Int] = [:]
    private(set) var problems: [String] = []

    init(path: String, nodes: Set<String>, isLearned: Bool) {
        self.path = path
        self.nodes = nodes
        self.isLearned = isLearned
    }

    mutating func read(_ text: String) {
        var number = 0
        let texts = text.utf8.split(
            separator: UInt8(ascii: "\n"), maxSplits: LatencyFile.maximumLines, omittingEmptySubsequences: false)
        for line in texts {
            number += 1
            guard number <= LatencyFile.maximumLines else {
                return problems.append(
                    "\(path):\(number): the file has more than \(LatencyFile.maximumLines) lines: split it")
            }
            guard problems.count < LatencyFile.maximumProblems else { return }
            let fields = Substring(line).split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
            guard fields != [""], fields.first?.hasPrefix("#") != true else { continue }
            if let problem = add(fields, number) { problems.append("\(path):\(number): \(problem)") }
        }
    }

    /// Trimmed, including the carriage return of files with CRLF line ends.
    private static func trimmed(_ field: Substring) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let head = field.utf8.drop(while: isBlank)
        guard let last = head.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(head[...last]))
    }

    /// - Returns: the problem with the line.
    private mutating func add(_ fields: [String], _ line: Int) -> String? {
        let expected = "expected place,node,milliseconds, such as DE-Hesse,fra1,4.5"
        guard fields.count == 3 else { return "the line has \(fields.count) fields, \(expected): correct it" }
        guard let match = Self.match(fields[0]) else {
            return
                "\(Spelling.quoted(fields[0])) is not a place, expected a country such as DE, a region such as US-California, continent:EU, "
                + "asn:64500, cidr:192.0.2.0/24 or label:WORD: correct it"
        }
        let node = fields[1]
        guard nodes.contains(node) else { return isLearned ? nil : Self.unknownNode(node) }
        guard let milliseconds = Self.milliseconds(fields[2]) else {
            return "\(Spelling.quoted(fields[2])) is not a time, expected milliseconds from 0 to 60000: correct it"
        }
        guard rows[match]?[node] == nil else {
            return
                "\(Spelling.quoted(fields[0])) and \(Spelling.quoted(fields[1])) already have a time, expected one line for each pair: remove one"
        }
        rows[match, default: [:]][node] = milliseconds
        if lines[match] == nil { lines[match] = line }
        if nodeLines[node] == nil { nodeLines[node] = line }
        return nil
    }

    static func unknownNode(_ id: String) -> String {
        "\(Spelling.quoted(id)) is not a node of the configuration: add it there or correct the spelling"
    }

    fileprivate static func match(_ text: String) -> GeoRule.Match? {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            switch parts[0] {
            case "continent":
                return CountryCodes.continents.contains(parts[1]) ? .continent(parts[1]) : nil
            case "asn": return UInt32(parts[1]).map { .asn($0) }
            case "cidr": return IPPrefix(parts[1]).map { .prefix($0) }
            case "label": return .word(parts[1])
            default: return nil
            }
        }
        let country = text.utf8.prefix(2)
        guard country.count == 2, country.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        guard CountryCodes.all.contains(String(text.prefix(2))) else { return nil }
        if text.utf8.count == 2 { return .country(text) }
        let region = text.dropFirst(2)
        return region.first == "-" && region.count > 1
            ? .region(country: String(text.prefix(2)), String(region.dropFirst())) : nil
    }

    /// Whole milliseconds, half rounded up.
    private static func milliseconds(_ text: String) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let whole = parts.first.flatMap({ Int($0) }), whole <= 60_000
        else { return nil }
        let roundsUp = parts.count == 2 && parts[1].utf8.first.map { $0 >= UInt8(ascii: "5") } == true
        return whole + (roundsUp ? 1 : 0)
    }
}

/// The names that a latency file may use.
public enum LatencyPlaces {
    /// Whether `text` has the form of a place: `DE`, `US-California`, `continent:EU`, `asn:64500`, `cidr:192.0.2.0/24`
    /// or `label:office`.
    public static func isPlace(_ text: String) -> Bool { LatencyReading.match(text) != nil }

    /// The members of `names` that occur in the location table.
    public static func known(_ names: Set<String>, _ places: PlaceTable) -> Set<String> {
        let matches = Dictionary(
            uniqueKeysWithValues: names.compactMap { name in LatencyReading.match(name).map { (name, $0) } })
        let known = PlaceCheck(places).known(among: Set(matches.values)).matches
        return names.filter { name in matches[name].map(known.contains) ?? false }
    }
}

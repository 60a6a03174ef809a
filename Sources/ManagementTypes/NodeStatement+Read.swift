package import ControlFailures
import VisibleText

/// Reading of untrusted bytes.
extension NodeStatement {
    /// Bytes of a body.
    package static let maximumBytes = 16 << 10
    private static let maximumPeers = 256
    private static let maximumSeconds = 366 * 86_400
    private static let largest = 1e12
    /// Keeps load divided by capacity within the range of a Double.
    private static let leastCapacity = 1e-3

    /// Reads a body and checks every field.
    ///
    /// - Returns: the statement, and the names of unknown fields.
    /// - Throws: `invalid`, with the field and its range.
    package static func read(
        _ bytes: [UInt8]
    ) throws(ControlFailure) -> (statement: NodeStatement, ignored: [String]) {
        guard bytes.count <= maximumBytes else {
            throw ControlFailure(.tooLarge, "the body has more than \(maximumBytes) bytes")
        }
        do {
            let keys = try ControlJSON.decode(FieldNames.self, from: bytes).names
            let statement = try ControlJSON.decode(NodeStatement.self, from: bytes)
            try statement.check()
            let known = Set(CodingKeys.allCases.map(\.rawValue))
            return (statement, told(keys.filter { !known.contains($0) }))
        } catch let error as DecodingError {
            throw ControlFailure(
                .invalid, error.summary, remedy: "send JSON such as {\"load\": 0.4, \"capacity\": 1}")
        } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(.invalid, "the body cannot be read")
        }
    }

    /// Untrusted names, cut to the number and length that may be sent back.
    package static func told(_ names: some Sequence<String>) -> [String] {
        names.sorted().prefix(16).map { VisibleText.cut($0, after: 64) }
    }

    private func check() throws(ControlFailure) {
        func require(_ holds: Bool, _ field: String, _ range: String) throws(ControlFailure) {
            guard !holds else { return }
            throw ControlFailure(.invalid, "\(field) is out of its range", remedy: "give \(range)")
        }
        try require(load.map { (0...Self.largest).contains($0) } ?? true, "load", "a number from 0 to 1e12")
        try require(
            capacity.map { (Self.leastCapacity...Self.largest).contains($0) } ?? true, "capacity",
            "a number from 0.001 to 1e12")
        try require(
            connections.map { (0...Int(Self.largest)).contains($0) } ?? true, "connections", "0 to 1000000000000")
        try require((peers?.count ?? 0) <= Self.maximumPeers, "peers", "at most \(Self.maximumPeers) of them")
        for (id, latency) in peers ?? [:] {
            try require(
                (1...63).contains(id.utf8.count) && (0...60_000).contains(latency), "peers",
                "milliseconds from 0 to 60000 by a node's id")
        }
        try require(share.map { (1...256).contains($0) } ?? true, "share", "1 to 256, in 256ths")
        try require(share == nil || state == .degraded, "share", "it with the state degraded only")
        try require(
            forSeconds.map { (1...Self.maximumSeconds).contains($0) } ?? true, "forSeconds",
            "1 to \(Self.maximumSeconds) seconds, which is 366 days")
        for (field, text) in [("author", author), ("reason", reason)] {
            try require(text.map(Remark.isSound) ?? true, field, Remark.rule)
        }
    }
}

extension NodeStatement {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            load: try fields.decodeIfPresent(Double.self, forKey: .load),
            capacity: try fields.decodeIfPresent(Double.self, forKey: .capacity),
            connections: try fields.whole(Int.self, .connections),
            peers: try fields.decodeIfPresent([String: Double].self, forKey: .peers),
            state: try fields.decodeIfPresent(State.self, forKey: .state),
            share: try fields.whole(Int.self, .share), forSeconds: try fields.whole(Int.self, .forSeconds),
            reason: try fields.decodeIfPresent(String.self, forKey: .reason),
            author: try fields.decodeIfPresent(String.self, forKey: .author),
            authority: try fields.decodeIfPresent(Voice.self, forKey: .authority),
            sequence: try fields.whole(UInt64.self, .sequence),
            force: try fields.decodeIfPresent(Bool.self, forKey: .force))
    }
}

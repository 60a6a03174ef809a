public import IPNetworks

/// A self-published geolocation feed (RFC 8805), read completely.
public struct Geofeed: Sendable {
    /// One line.
    public struct Entry: Sendable, Hashable {
        public let prefix: IPPrefix
        /// Upper case. Nil when the line asks not to be located.
        public let country: String?
        /// ISO 3166-2, as written.
        public let region: String?
        public let city: String?
        /// From 1.
        public let line: Int
    }

    /// A skipped line.
    public struct Problem: Sendable, Hashable {
        /// From 1.
        public let line: Int
        /// A message for the operator, with the remedy.
        public let message: String

        public init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// No two entries have the same prefix.
    public let entries: [Entry]
    /// The first skipped lines, up to `maximumProblems`.
    public let problems: [Problem]
    /// The number of skipped lines.
    public let leftOut: Int

    /// Maximum size of a feed in bytes: 64 MiB.
    public static let maximumSize = 64 << 20
    /// Maximum number of problems reported per feed.
    public static let maximumProblems = 20

    /// Reads lines of the form `prefix,country,region,city,postal code`. Everything after the prefix may be absent or
    /// empty; comments start with `#`. An address stands for its host prefix. The postal code, which RFC 8805
    /// deprecates, is ignored. Unusable lines are skipped and do not affect the others (RFC 8805, section 2).
    ///
    /// - Throws: `GeofeedError` when no line can be used. A feed without entries is usually one that is being written.
    public static func parse(_ bytes: [UInt8]) throws(GeofeedError) -> Geofeed {
        guard bytes.count <= maximumSize else {
            throw GeofeedError([
                Problem(
                    line: 1, message: "the feed is \(bytes.count) bytes long, expected at most \(maximumSize): split it"
                )
            ])
        }
        var parser = GeofeedParser()
        parser.parse(bytes)
        guard !parser.entries.isEmpty else {
            let empty = Problem(line: 1, message: "the feed has no entry: write one, or remove geo.geofeed")
            throw GeofeedError(parser.problems.isEmpty ? [empty] : parser.problems)
        }
        return Geofeed(entries: parser.entries, problems: parser.problems, leftOut: parser.leftOut)
    }
}

/// Why a feed is refused.
public struct GeofeedError: Error {
    public let problems: [Geofeed.Problem]

    public init(_ problems: [Geofeed.Problem]) { self.problems = problems }
}

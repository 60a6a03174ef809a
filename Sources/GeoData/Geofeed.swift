public import IPNetworks

/// A self-published geolocation feed (RFC 8805), read whole.
public struct Geofeed: Sendable {
    /// One line.
    public struct Entry: Sendable, Hashable {
        public let prefix: IPPrefix
        /// Upper case; nil when the line asks for no place at all.
        public let country: String?
        /// ISO 3166-2, as written.
        public let region: String?
        public let city: String?
        /// From 1.
        public let line: Int
    }

    /// A line that is left out.
    public struct Problem: Sendable, Hashable {
        /// From 1.
        public let line: Int
        /// In the user's words, with the remedy.
        public let message: String

        public init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// Prefixes differ.
    public let entries: [Entry]
    /// The first of the lines that are left out, as many as `maximumProblems`.
    public let problems: [Problem]
    /// Lines that are left out.
    public let leftOut: Int

    /// Bytes in a feed: 64 MiB.
    public static let maximumSize = 64 << 20
    /// Problems told of a feed.
    public static let maximumProblems = 20

    /// Reads `prefix,country,region,city,postal code` lines, where all behind the prefix may be absent or empty, with
    /// comments from `#` on. An address stands for its own prefix. Of the postal code, which RFC 8805 deprecates, nothing
    /// is kept. Lines that cannot be used are left out, and say nothing against the others (RFC 8805, section 2).
    ///
    /// - Throws: `GeofeedError` when no line can be used. A feed without any is most often one that is just being written.
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

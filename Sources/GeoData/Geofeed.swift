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

    /// Prefixes differ.
    public let entries: [Entry]

    /// Bytes in a feed: 64 MiB.
    public static let maximumSize = 64 << 20
    /// Problems told of a feed.
    public static let maximumProblems = 20

    /// Reads `prefix,country,region,city,postal code` lines, where all behind the prefix may be absent or empty, with
    /// comments from `#` on. An address stands for its own prefix. Of the postal code, which RFC 8805 deprecates, nothing
    /// is kept.
    ///
    /// - Throws: `GeofeedError` with everything that is wrong, as far as `maximumProblems`.
    public static func parse(_ bytes: [UInt8]) throws(GeofeedError) -> Geofeed {
        guard bytes.count <= maximumSize else {
            throw GeofeedError([
                .init(
                    line: 1, message: "the feed is \(bytes.count) bytes long, expected at most \(maximumSize): split it"
                )
            ])
        }
        var parser = GeofeedParser()
        parser.parse(bytes)
        guard parser.problems.isEmpty else { throw GeofeedError(parser.problems) }
        return Geofeed(entries: parser.entries)
    }
}

/// Why a feed is refused.
public struct GeofeedError: Error {
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

    public let problems: [Problem]

    public init(_ problems: [Problem]) { self.problems = problems }
}

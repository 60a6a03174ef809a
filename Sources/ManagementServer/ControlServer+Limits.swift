extension ControlServer {
    /// What the callers of the socket can take.
    public struct Limits: Sendable {
        /// Open connections of all users, at least 4. Half of them may be answered at the same time, and half of those
        /// may wait for changes.
        public var connections: Int
        /// For the body of a request, from the end of its head, and for the client to take the answer.
        public var requestMilliseconds: Int64
        /// Between two requests, including the head of the second; also before the first.
        public var idleMilliseconds: Int64

        var busy: Int { max(2, connections / 2) }
        var idle: Int { max(2, connections - busy) }
        var waiting: Int { max(1, busy / 2) }

        /// Bytes of a request's head, and its fields. The names of changes to drop are in the query.
        static let headBytes = 1 << 16
        static let headFields = 64
        /// Bytes of one read. A connection buffers ten reads (`NIOAsyncChannel`).
        static let readBytes = 8_192
        /// A body of more bytes is large; `largeBodies` of them may be read at the same time.
        static let largeBody = 16_384
        static let largeBodies = 8
        /// No route of the socket reads a larger body.
        static let largestBody = 1 << 20

        /// Bytes that one connection may hold without a large body: a head twice, read and in fields, a body twice, held
        /// until its end and read by the route, and reads.
        public static let bytesPerConnection = 2 * (headBytes + largeBody) + 10 * readBytes
        /// Bytes that all large bodies may hold.
        public static let bytesOfLargeBodies = largeBodies * largestBody

        public init(connections: Int = 64, requestMilliseconds: Int64 = 10_000, idleMilliseconds: Int64 = 60_000) {
            self.connections = connections
            self.requestMilliseconds = requestMilliseconds
            self.idleMilliseconds = idleMilliseconds
        }
    }
}

/// Carries one question to one server.
package protocol LookupTransport: Sendable {
    /// Waits for a message that repeats the question. Without one, the server's error without a question is taken, as soon
    /// as nothing else can come.
    ///
    /// - Throws: a `LookupFailure`, or a `SystemError`.
    func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8]
}

/// Why a server gave no reply.
package struct LookupFailure: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

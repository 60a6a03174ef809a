/// Carries one question to one server.
package protocol LookupTransport: Sendable {
    /// Waits for a message that is not unrelated to the question.
    ///
    /// - Throws: a `LookupFailure`, or a `SystemError`.
    func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8]
}

/// Why a server gave no reply.
package struct LookupFailure: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Carries one question to one server.
protocol LookupTransport: Sendable {
    /// Waits for a message that is not unrelated to the question.
    ///
    /// - Throws: a `LookupFailure`, or a `SystemError`.
    func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8]
}

/// Why a server gave no reply.
struct LookupFailure: Error, Hashable, CustomStringConvertible {
    let description: String
}

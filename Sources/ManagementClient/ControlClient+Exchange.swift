public import ControlFailures
import ManagementTypes

extension ControlClient {
    /// Sends one request on a connection of its own.
    ///
    /// - Parameter target: path and query, percent-encoded.
    /// - Returns: the body of a response whose status is below 400.
    /// - Throws: the daemon's failure; `unavailable` if the daemon cannot be reached, does not answer in time, or gives
    ///   an answer that cannot be read.
    public func send(_ method: String, _ target: String, _ body: [UInt8] = []) throws(ControlFailure) -> [UInt8] {
        let response = try Exchange(path: path, timeoutSeconds: timeoutSeconds).perform(method, target, body)
        guard response.status >= 400 else { return response.body }
        guard let report = try? ControlJSON.decode(FailureReport.self, from: response.body) else {
            throw ControlFailure(
                .unavailable, "\(path): the daemon answered with HTTP status \(response.status)",
                remedy: Exchange.socketRemedy)
        }
        throw report.error
    }

    func get<Answer: Decodable>(
        _ path: String, _ parameters: [(String, String)] = []
    ) throws(ControlFailure) -> Answer {
        try ask("GET", Self.target(path, parameters))
    }

    func ask<Answer: Decodable>(_ method: String, _ target: String) throws(ControlFailure) -> Answer {
        try read(send(method, target))
    }

    func ask<Answer: Decodable>(
        _ method: String, _ target: String, _ question: some Encodable
    ) throws(ControlFailure) -> Answer {
        let body: [UInt8]
        // Only numbers that JSON lacks (infinity, NaN) cannot be encoded.
        do { body = try ControlJSON.encode(question) } catch {
            throw ControlFailure(.internal, "the request cannot be written as JSON: \(error)")
        }
        return try read(send(method, target, body))
    }

    private func read<Answer: Decodable>(_ body: [UInt8]) throws(ControlFailure) -> Answer {
        do { return try ControlJSON.decode(Answer.self, from: body) } catch {
            throw ControlFailure(
                .unavailable, "\(path): the daemon's answer cannot be read: \(error)",
                remedy: "use the nearcast of the daemon's version")
        }
    }

    static func target(_ path: String, _ parameters: [(String, String)]) -> String {
        guard !parameters.isEmpty else { return path }
        let query = parameters.map { "\($0)=\(PercentEncoding.encode($1))" }
        return "\(path)?\(query.joined(separator: "&"))"
    }
}

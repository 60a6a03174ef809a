import Access
import ControlFailures
import ManagementTypes
import Synchronization

/// Says what a request comes to: whose token it has, and what the daemon says to it.
///
/// `POST /v1/nodes/ID/report` takes a ``NodeStatement``, `POST /v1/observers/ID/verdicts` an ``ObserverVerdicts``. Every error is a ``ControlFailure`` in JSON.
final class ReportDesk: Sendable {
    struct Response: Sendable {
        let status: Int
        let body: [UInt8]
    }

    private let tokens: TokenFile
    private let handler: any ReportHandling
    private let results = Mutex<[String: UInt64]>([:])

    init(tokens: TokenFile, handler: any ReportHandling) {
        self.tokens = tokens
        self.handler = handler
    }

    /// Requests by what came of them, ordered by name.
    var counters: [(String, UInt64)] { results.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// What a request's head asks for, and who asks.
    struct Visit: Sendable {
        let speaker: Speaker
        let isVerdicts: Bool
        /// Of the node, or the observer.
        let id: String

        /// Bytes that the body may have.
        var limit: Int { isVerdicts ? ObserverVerdicts.maximumBytes : NodeStatement.maximumBytes }
    }

    func tooLarge(_ visit: Visit) -> Response {
        failure(ControlFailure(.tooLarge, "the body has more than \(visit.limit) bytes"))
    }

    /// Lets somebody in by the head alone: of strangers no body is read.
    ///
    /// - Parameter authorization: the values of all fields of that name.
    func visit(
        _ method: String, _ target: String, authorization: [String]
    ) -> Result<Visit, Refusal> {
        do throws(ControlFailure) {
            return .success(try route(method, target, try speaker(authorization)))
        } catch {
            return .failure(Refusal(response: failure(error)))
        }
    }

    struct Refusal: Error {
        let response: Response
    }

    func respond(to visit: Visit, _ body: [UInt8]) async -> Response {
        do {
            let response = try await answer(visit, body)
            count("taken")
            return response
        } catch let error as ControlFailure {
            return failure(error)
        } catch {
            return failure(ControlFailure(.internal, "the request failed"))
        }
    }

    private func answer(_ visit: Visit, _ body: [UInt8]) async throws -> Response {
        if visit.isVerdicts {
            let receipt = try await handler.take(
                ObserverVerdicts.read(body), from: visit.id, as: visit.speaker)
            return Response(status: 200, body: try ControlJSON.encode(receipt))
        }
        let (statement, ignored) = try NodeStatement.read(body)
        var receipt = try await handler.state(statement, of: visit.id, as: visit.speaker)
        receipt.ignored = (receipt.ignored ?? []) + ignored
        return Response(status: 200, body: try ControlJSON.encode(receipt))
    }

    private func route(
        _ method: String, _ target: String, _ speaker: Speaker
    ) throws(ControlFailure) -> Visit {
        let path = target.prefix { $0 != "?" }
        let segments = path.split(separator: "/").map { PercentCoding.decode($0) ?? String($0) }
        let kind = segments.count == 4 && segments[0] == "v1" ? [segments[1], segments[3]] : []
        guard kind == ["nodes", "report"] || kind == ["observers", "verdicts"] else {
            throw ControlFailure(
                .notFound, "nothing is here that tokens are for",
                remedy: "reports go to /v1/nodes/ID/report, verdicts to /v1/observers/ID/verdicts")
        }
        guard method == "POST" else {
            throw ControlFailure(.methodNotAllowed, "a report is not read here", remedy: "use POST")
        }
        return Visit(speaker: speaker, isVerdicts: kind[0] == "observers", id: segments[2])
    }

    /// Whose token a request has (RFC 6750, section 2.1).
    private func speaker(_ authorization: [String]) throws(ControlFailure) -> Speaker {
        let words = authorization.first?.split(separator: " ") ?? []
        guard authorization.count == 1, words.count == 2, words[0].lowercased() == "bearer" else {
            throw ControlFailure(
                .unauthorized, "there is no token", remedy: "send the header Authorization: Bearer TOKEN")
        }
        guard let speaker = tokens.speaker(Array(words[1].utf8)) else {
            throw ControlFailure(
                .unauthorized, "the token is not known here", remedy: "add its hash to the file of tokens")
        }
        return speaker
    }

    private func failure(_ failure: ControlFailure) -> Response {
        count(failure.code.rawValue)
        return Response(
            status: failure.code.httpStatus,
            body: (try? ControlJSON.encode(FailureReport(error: failure))) ?? [])
    }

    private func count(_ result: String) { results.withLock { $0[result, default: 0] += 1 } }
}

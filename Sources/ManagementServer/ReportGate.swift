import Access
import ControlFailures
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// What stands between a connection of the network and the router: it lets a request in by its head alone.
///
/// A router would see the head when the bytes behind it are read already, and decide on another thread. Here strangers
/// get their refusal before a byte of a body is taken, and ``InputLimit`` is lifted before the next read.
final class ReportGate: Sendable {
    /// A request whose caller and route are known.
    struct Admission: Sendable {
        let caller: Caller
        let head: HTTPRequest
        /// Bytes that the body may have.
        let limit: Int
    }

    private let tokens: TokenFile
    private let table: RouteTable
    private let responder: RouterResponder<ManagementContext>
    private let results: ResultCounter
    private let logger: Logger

    init(tokens: TokenFile, handler: any ControlHandling, logger: Logger) {
        self.tokens = tokens
        self.logger = logger
        table = .reports
        results = ResultCounter()
        responder = table.router(handler, places: nil, first: [results]).buildResponder()
    }

    /// Requests by result, ordered by name.
    var counts: [(result: String, count: UInt64)] { results.counts }

    /// - Throws: `unauthorized` without a token that is known, whatever else is wrong.
    func admit(_ head: HTTPRequestHead) throws(ControlFailure) -> Admission {
        do throws(ControlFailure) {
            let caller = try caller(head.headers["Authorization"])
            let route = try table.route(head.method.rawValue, URI(head.uri).path)
            // Nothing behind this reads a field of the head.
            let request = HTTPRequest(method: route.method.http, scheme: nil, authority: nil, path: head.uri)
            return Admission(caller: caller, head: request, limit: route.body?.limit ?? 0)
        } catch {
            results.count(error)
            throw error
        }
    }

    /// The response to a body that is too large.
    func refuseBody(_ admission: Admission) -> Reply {
        let failure = ControlFailure.tooLarge(admission.limit)
        results.count(failure)
        return Reply(failure)
    }

    func respond(to admission: Admission, _ body: [UInt8], on channel: any Channel) async -> Reply {
        let request = Request(head: admission.head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let source = ApplicationRequestContextSource(channel: channel, logger: logger)
        let context = ManagementContext(source: source, caller: admission.caller)
        do {
            return try await Reply(responder.respond(to: request, context: context))
        } catch {
            return Reply(ControlFailure(.internal, "the request failed"))
        }
    }

    /// Whose token a request has (RFC 6750, section 2.1).
    private func caller(_ authorization: [String]) throws(ControlFailure) -> Caller {
        let words = authorization.first?.split(separator: " ") ?? []
        guard authorization.count == 1, words.count == 2, words[0].lowercased() == "bearer" else {
            throw ControlFailure(
                .unauthorized, "there is no token", remedy: "send the header Authorization: Bearer TOKEN")
        }
        guard let caller = tokens.caller(Array(words[1].utf8)) else {
            throw ControlFailure(
                .unauthorized, "the token is not known here", remedy: "add its hash to the file of tokens")
        }
        return caller
    }
}

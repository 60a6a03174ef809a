package import Access
import ControlFailures
package import Hummingbird
import LinuxSupport
import NIOHTTP1
import Synchronization

/// Turns every failure into a response: the one place where the domain's errors meet HTTP.
struct FailureMiddleware: RouterMiddleware {
    typealias Context = ManagementContext

    let table: RouteTable

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as ControlFailure {
            return Reply(failure).response
        } catch let error as HTTPParserError {
            // What comes by the connection is no HTTP: the server answers 400 and closes it.
            throw error
        } catch is HTTPError {
            return miss(request).response
        } catch {
            return Reply(ControlFailure(.internal, "\(error)")).response
        }
    }

    /// The router throws an `HTTPError` where it has no route; nothing else does.
    private func miss(_ request: Request) -> Reply {
        do throws(ControlFailure) {
            let route = try table.route(request.method.rawValue, request.uri.path)
            return Reply(ControlFailure(.internal, "the router lacks \(route.operation)"))
        } catch {
            let methods = table.routes(at: request.uri.path).map(\.method.rawValue)
            return Reply(error, allowing: methods)
        }
    }
}

/// Refuses callers that may not do what the route does.
package struct RightMiddleware: RouterMiddleware {
    package typealias Context = ManagementContext

    static let unknownCaller = ControlFailure(
        .unauthorized, "the caller is unknown", remedy: "use the control socket, or send a token")

    let right: Right

    package init(right: Right) { self.right = right }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let caller = context.caller else { throw Self.unknownCaller }
        guard caller.rights.contains(right) else {
            throw ControlFailure(
                .forbidden, "\(caller) lacks the right \(right.rawValue)", remedy: "use the control socket")
        }
        return try await next(request, context)
    }
}

/// Names the process at the other end of the control socket, as the kernel does.
struct PeerMiddleware: RouterMiddleware {
    typealias Context = ManagementContext

    let places: ControlPlaces
    let accounts: AccountNames

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let peer = places.peer(of: context.channel) else {
            throw ControlFailure(.unavailable, "the connection has ended")
        }
        var context = context
        context.caller = .account(
            LocalAccount(user: peer.user, name: accounts.name(of: peer.user), process: peer.process))
        return try await next(request, context)
    }
}

/// Counts requests by result: `taken`, or the code of the failure.
final class ResultCounter: RouterMiddleware {
    typealias Context = ManagementContext

    private let results = Mutex<[String: UInt64]>([:])

    /// Ordered by name.
    var counts: [(result: String, count: UInt64)] {
        results.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func count(_ failure: ControlFailure) { count(failure.code.rawValue) }

    private func count(_ result: String) { results.withLock { $0[result, default: 0] += 1 } }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await next(request, context)
            count("taken")
            return response
        } catch {
            count((error as? ControlFailure)?.code.rawValue ?? ControlFailure.Code.internal.rawValue)
            throw error
        }
    }
}

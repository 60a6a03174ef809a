import ControlFailures
import Hummingbird
import NIOHTTP1

extension RouteTable {
    /// The router of a listener.
    ///
    ///     request ─► failures become responses ─► `first` (who asks, counts) ─► right ─► query, body ─► operation
    ///
    /// - Parameters:
    ///   - places: of the listener's connections, where waiting and large bodies take places too.
    ///   - first: what the listener does with every request.
    func router(
        _ handler: any ControlHandling, places: ControlPlaces?,
        first: [any MiddlewareProtocol<Request, Response, ManagementContext>]
    ) -> Router<ManagementContext> {
        let router = Router(context: ManagementContext.self)
        router.add(middleware: FailureMiddleware(table: self))
        for middleware in first { router.add(middleware: middleware) }
        for route in routes {
            router.group(RouterPath(route.path))
                .add(middleware: RightMiddleware(right: route.right))
                .on(
                    "", method: route.method.http,
                    responder: RouteResponder(route: route, handler: handler, places: places))
        }
        return router
    }
}

extension Route.Method {
    var http: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .put: .put
        case .post: .post
        case .patch: .patch
        case .delete: .delete
        }
    }
}

/// Serves one route.
private struct RouteResponder: HTTPResponder {
    let route: Route
    let handler: any ControlHandling
    let places: ControlPlaces?

    func respond(to request: Request, context: ManagementContext) async throws -> Response {
        guard let caller = context.caller else { throw RightMiddleware.unknownCaller }
        let query = try Query(route.query, request.uri)
        var body: [UInt8] = []
        if let limit = route.body?.limit { body = try await request.bytes(limit: limit, places) }
        let call = Call(
            caller: caller, handler: handler, places: places, query: query, body: body,
            parameters: context.parameters)
        return try await route.respond(call).response
    }
}

extension Request {
    /// The body. Few large ones are read at the same time, which bounds what they hold together.
    fileprivate func bytes(limit: Int, _ places: ControlPlaces?) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var isLarge = false
        defer { if isLarge { places?.release(.largeBody) } }
        for try await part in body {
            guard bytes.count + part.readableBytes <= limit else { throw ControlFailure.tooLarge(limit) }
            if let places, !isLarge, bytes.count + part.readableBytes > ControlServer.Limits.largeBody {
                isLarge = places.take(.largeBody)
                guard isLarge else {
                    throw ControlFailure(
                        .unavailable, "\(ControlServer.Limits.largeBodies) large requests are being read already",
                        remedy: "try again in a moment")
                }
            }
            bytes += part.readableBytesView
        }
        return bytes
    }
}

extension ControlFailure {
    /// A body of more bytes than are read.
    static func tooLarge(_ limit: Int) -> ControlFailure {
        ControlFailure(.tooLarge, "the body has more than \(limit) bytes", remedy: "send it in several requests")
    }
}

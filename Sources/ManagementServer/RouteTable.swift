import Access
import ControlFailures
import VisibleText

/// The routes of a listener.
package struct RouteTable: Sendable {
    package let routes: [Route]

    init(_ routes: [Route]) { self.routes = routes }

    /// Every route there is; the control socket has them all.
    package static let all = RouteTable(Route.daemon + Route.changes + Route.nodes + Route.zones + Route.tables)

    /// The routes of the listener for reports: those that a token can have a right to.
    static let reports = RouteTable(all.routes.filter { $0.right == .report })

    /// The route of a request.
    ///
    /// - Parameter path: percent-encoded, without the query.
    /// - Throws: `notFound`, or `methodNotAllowed` where the path takes other methods.
    func route(_ method: String, _ path: String) throws(ControlFailure) -> Route {
        let here = routes(at: path)
        if let route = here.first(where: { $0.method.rawValue == method }) { return route }
        guard !here.isEmpty else {
            throw ControlFailure(.notFound, "nothing at \(VisibleText.cut(path))", remedy: "\(inventory) exist")
        }
        throw ControlFailure(
            .methodNotAllowed, "\(VisibleText.cut(method)) is not possible at \(VisibleText.cut(path))",
            remedy: "use \(here.map(\.method.rawValue).joined(separator: " or "))")
    }

    /// The routes of a path, each with another method.
    func routes(at path: String) -> [Route] {
        let segments = path.split(separator: "/")
        return routes.filter { route in
            let template = route.path.split(separator: "/")
            return template.count == segments.count
                && zip(template, segments).allSatisfy { $0.first == "{" || $0 == $1 }
        }
    }

    /// The paths, short enough for a message.
    private var inventory: String {
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        if paths.count > 4 {
            var groups: [String] = []
            for path in paths {
                let head = path.split(separator: "/").prefix(2)
                let group = "/" + head.joined(separator: "/")
                let shown = paths.contains(group) ? group : group + "/…"
                if !groups.contains(shown) { groups.append(shown) }
            }
            paths = groups
        }
        return paths.count < 2
            ? paths.joined() : paths.dropLast().joined(separator: ", ") + " and " + (paths.last ?? "")
    }
}

import Access
import ControlFailures
import Foundation
import Hummingbird
import Logging
import ManagementClient
import ManagementServer
import ManagementTypes
import NIOEmbedded
import Testing

@Suite struct RouteTableTests {
    private static let routes = RouteTable.all.routes

    @Test("each route has a name, a path and a method of its own")
    func unique() {
        #expect(Set(Self.routes.map(\.operation)).count == Self.routes.count)
        #expect(Set(Self.routes.map { "\($0.method) \($0.path)" }).count == Self.routes.count)
        #expect(Self.routes.count > 20)
    }

    @Test("every route serves its example, and answers with the type it promises")
    func reachable() async throws {
        try await withServer { client throws in
            for route in Self.routes {
                let body = Array((route.body?.example ?? "").utf8)
                let answer = try client.send(route.method.rawValue, route.example, body)
                if let type = route.answer.type {
                    #expect(throws: Never.self, "\(route.operation)") { try ControlJSON.decode(type, from: answer) }
                } else {
                    #expect(!answer.isEmpty, "\(route.operation)")
                }
            }
        }
    }

    @Test("every route refuses parameters that it does not know, and every path methods that it does not take")
    func refusals() async throws {
        try await withServer { client throws in
            for route in Self.routes {
                let target = route.example + (route.example.contains("?") ? "&" : "?") + "nope=1"
                let body = Array((route.body?.example ?? "").utf8)
                let failure = #expect(throws: ControlFailure.self) {
                    try client.send(route.method.rawValue, target, body)
                }
                #expect(failure?.message == "there is no parameter \"nope\"", "\(route.operation)")
                let other = #expect(throws: ControlFailure.self) { try client.send("TRACE", route.example) }
                #expect(other?.code == .methodNotAllowed, "\(route.operation)")
                #expect(other?.remedy?.contains(route.method.rawValue) == true, "\(route.operation)")
            }
        }
    }

    @Test("bodies beyond a route's limit are refused")
    func limits() async throws {
        try await withServer { client throws in
            for route in Self.routes {
                guard let limit = route.body?.limit else { continue }
                let failure = #expect(throws: ControlFailure.self) {
                    try client.send(
                        route.method.rawValue, route.example, [UInt8](repeating: 0x20, count: limit + 1))
                }
                #expect(failure?.code == .tooLarge, "\(route.operation)")
            }
        }
    }

    @Test("a caller without the right that a route needs gets no further")
    func rights() async throws {
        let tokens = [Caller.node("fra1"), .node(nil), .agent("tower"), .automation("deploy"), .observer("ams")]
        for caller in tokens + [.account(LocalAccount(user: 0, name: "root", process: 1))] {
            for right in Right.allCases {
                let channel = EmbeddedChannel()
                let source = ApplicationRequestContextSource(channel: channel, logger: silentLogger)
                let context = ManagementContext(source: source, caller: caller)
                let request = Request(
                    head: .init(method: .get, scheme: nil, authority: nil, path: "/"), body: .init(buffer: .init()))
                let middleware = RightMiddleware(right: right)
                do {
                    _ = try await middleware.handle(request, context: context) { _, _ in Response(status: .ok) }
                    #expect(caller.rights.contains(right), "\(caller) \(right)")
                } catch let failure as ControlFailure {
                    #expect(failure.code == .forbidden && !caller.rights.contains(right), "\(caller) \(right)")
                }
                let unknown = ManagementContext(source: source)
                await #expect(throws: ControlFailure.self) {
                    try await middleware.handle(request, context: unknown) { _, _ in Response(status: .ok) }
                }
            }
        }
    }

    @Test("docs/api.md lists the routes, each with its right, and no others")
    func documented() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        // As in: | `GET /v1/status` | read | what it does |
        let rows = text.split(separator: "\n").compactMap { line -> String? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasPrefix("`"), cells[0].contains(" /") else { return nil }
            return "\(cells[0].filter { $0 != "`" }) \(cells[1])"
        }
        let routes = Self.routes.map { "\($0.method.rawValue) \($0.path) \($0.right.rawValue)" }
        #expect(rows.sorted() == routes.sorted())
    }
}

import Access
import ControlFailures
import ManagementTypes

/// How the body of a request is read.
struct BodyFormat<Content: Sendable>: Sendable {
    let body: Route.Body
    let read: @Sendable ([UInt8]) throws(ControlFailure) -> Content

    /// JSON of a type, of at most 1 MiB.
    static func json(_ example: String) -> Self where Content: Codable {
        Self(body: .init(type: Content.self, limit: ControlServer.Limits.largestBody, example: example)) {
            bytes throws(ControlFailure) in
            try ControlJSON.body(Content.self, from: bytes, example: example)
        }
    }
}

extension Route {
    /// An operation that answers in JSON.
    static func json<Value: Codable & Sendable>(
        _ method: Method, _ path: String, _ operation: String, needs right: Right, _ summary: String,
        query: [QueryParameter] = [], example: String? = nil, answer: @escaping @Sendable (Call) async throws -> Value
    ) -> Route {
        Route(
            method: method, path: path, operation: operation, right: right, summary: summary, query: query, body: nil,
            answer: .json(Value.self), example: example ?? path
        ) { call in try Reply(json: await answer(call)) }
    }

    /// An operation that reads a body and answers in JSON.
    static func json<Content: Sendable, Value: Codable & Sendable>(
        _ method: Method, _ path: String, _ operation: String, needs right: Right, _ summary: String,
        body: BodyFormat<Content>, example: String? = nil,
        answer: @escaping @Sendable (Call, Content) async throws -> Value
    ) -> Route {
        Route(
            method: method, path: path, operation: operation, right: right, summary: summary, query: [],
            body: body.body, answer: .json(Value.self), example: example ?? path
        ) { call in try Reply(json: await answer(call, body.read(call.body))) }
    }

    /// An operation that answers in text.
    static func text(
        _ method: Method, _ path: String, _ operation: String, needs right: Right, _ summary: String,
        mediaType: String, example: String? = nil, answer: @escaping @Sendable (Call) async throws -> [UInt8]
    ) -> Route {
        Route(
            method: method, path: path, operation: operation, right: right, summary: summary, query: [], body: nil,
            answer: .init(status: 200, mediaType: mediaType, type: nil), example: example ?? path
        ) { call in Reply(mediaType: mediaType, body: try await answer(call)) }
    }
}

extension Route.Answer {
    fileprivate static func json(_ type: any (Codable & Sendable).Type) -> Self {
        Self(status: 200, mediaType: Reply.json, type: type)
    }
}

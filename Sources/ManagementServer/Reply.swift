import ControlFailures
import Hummingbird
import ManagementTypes
import NIOCore
import Synchronization

/// A whole response.
struct Reply: Sendable {
    static let json = "application/json"

    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: ByteBuffer

    init(status: HTTPResponse.Status = .ok, mediaType: String, body: [UInt8], headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = mediaType
        headers[.contentLength] = String(body.count)
        (self.status, self.headers, self.body) = (status, headers, ByteBuffer(bytes: body))
    }

    /// - Parameter text: is not copied.
    init(mediaType: String, text: ByteBuffer) {
        (status, body) = (.ok, text)
        headers = [.contentType: mediaType, .contentLength: String(text.readableBytes)]
    }

    init(json value: some Encodable) throws {
        self.init(mediaType: Self.json, body: try ControlJSON.encode(value))
    }

    /// - Parameter methods: those that the path takes, for a request with another one.
    init(_ failure: ControlFailure, allowing methods: [String] = []) {
        var headers: HTTPFields = [:]
        // RFC 6750, section 3.
        if failure.code == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        // RFC 9110, section 15.5.6.
        if !methods.isEmpty { headers[.allow] = methods.joined(separator: ", ") }
        self.init(
            status: .init(code: failure.code.httpStatus), mediaType: Self.json,
            body: (try? ControlJSON.encode(FailureReport(error: failure))) ?? [], headers: headers)
    }

    /// Reads what a router answered.
    init(_ response: Response) async throws {
        let gathered = GatheredBody()
        try await response.body.write(gathered)
        (status, headers, body) = (response.status, response.headers, gathered.bytes.withLock { $0 })
    }

    var response: Response { Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body)) }
}

/// Keeps a body instead of sending it.
private final class GatheredBody: ResponseBodyWriter, Sendable {
    let bytes = Mutex(ByteBuffer())

    func write(_ buffer: ByteBuffer) async throws { bytes.withLock { _ = $0.writeImmutableBuffer(buffer) } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

import DNSServer
import Foundation
import IPNetworks
import Logging
import ServiceLifecycle
import Synchronization

/// Answers by the message's first byte, so that each test says on the wire what it wants.
final class ScriptedAnswering: PacketAnswering {
    /// Echo the message.
    static let echo = UInt8(ascii: "E")
    /// Say nothing.
    static let silent = UInt8(ascii: "N")
    /// Reply with as many bytes as the next two say.
    static let sized = UInt8(ascii: "L")
    /// Reply with the message's length in two bytes.
    static let measure = UInt8(ascii: "M")
    /// Reply with the client's address and the transport, as text.
    static let who = UInt8(ascii: "W")

    let answered = Atomic<Int>(0)
    private let delayMicroseconds: UInt32
    /// What a reply is cut to.
    private let cutBytes: Int

    init(delayMicroseconds: UInt32 = 0, cutBytes: Int = 1) {
        self.delayMicroseconds = delayMicroseconds
        self.cutBytes = cutBytes
    }

    func shorten(_ reply: UnsafeMutableRawBufferPointer) -> Int { cutBytes }

    func answer(
        _ packet: UnsafeRawBufferPointer, from client: SocketEndpoint, over transport: Transport,
        into reply: inout [UInt8]
    ) {
        answered.wrappingAdd(1, ordering: .relaxed)
        if delayMicroseconds > 0 { usleep(delayMicroseconds) }
        switch packet.first {
        case Self.echo: reply.append(contentsOf: packet)
        case Self.sized: reply.append(contentsOf: repeatElement(7, count: Int(packet[1]) << 8 | Int(packet[2])))
        case Self.measure: reply += [UInt8(packet.count >> 8), UInt8(packet.count & 255)]
        case Self.who: reply += Array("\(client.address) \(transport)".utf8)
        default: break
        }
    }
}

func echo(_ text: String) -> [UInt8] { [ScriptedAnswering.echo] + Array(text.utf8) }

/// A request for a reply of `count` bytes.
func sized(_ count: Int) -> [UInt8] { [ScriptedAnswering.sized, UInt8(count >> 8), UInt8(count & 255)] }

/// Runs blocking work off the cooperative pool, which the servers' tasks need.
func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}

/// Runs the service while `body` runs, then shuts it down gracefully and waits for its end.
func running<Result: Sendable>(_ service: any Service, _ body: @escaping @Sendable () throws -> Result) async throws
    -> Result
{
    let group = ServiceGroup(
        configuration: .init(
            services: [service], logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await offPool(body)) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return try result.get()
    }
}

let loopback = SocketEndpoint(address: .v4(0x7F00_0001), port: 0)
let loopbacks = [loopback, SocketEndpoint(address: .v6(1), port: 0)]

import CLinux
import Glibc
import IPNetworks
import LinuxSupport
import Synchronization
import Telemetry

/// One socket and its thread's work.
final class UDPWorker: Sendable {
    let socket: ListenSocket
    private let received = Atomic<UInt64>(0)
    private let sent = Atomic<UInt64>(0)
    private let shortened = Atomic<UInt64>(0)
    private let tooLong = Atomic<UInt64>(0)
    private let refused = Atomic<UInt64>(0)
    private let noRoom = Atomic<UInt64>(0)
    private let noNeighbour = Atomic<UInt64>(0)
    let latency = LatencyHistogram()
    private let answering: any PacketAnswering
    private let neighbours: Neighbours?

    init(socket: ListenSocket, answering: any PacketAnswering, neighbours: Neighbours?) {
        self.socket = socket
        self.answering = answering
        self.neighbours = neighbours
    }

    /// Adds this worker's counters.
    func add(to sum: inout UDPServer.Counters) {
        sum.received += received.load(ordering: .relaxed)
        sum.sent += sent.load(ordering: .relaxed)
        sum.shortened += shortened.load(ordering: .relaxed)
        sum.tooLong += tooLong.load(ordering: .relaxed)
        sum.refused += refused.load(ordering: .relaxed)
        sum.noRoom += noRoom.load(ordering: .relaxed)
        sum.noNeighbour += noNeighbour.load(ordering: .relaxed)
        sum.overflowed += UInt64(socket.withDescriptor { nl_udp_overflowed($0) } ?? 0)
    }

    /// Takes the socket out of service: `serve` answers what is queued and returns. May be called on any thread.
    func retire() {
        _ = socket.withDescriptor { nl_udp_retire($0) }
    }

    /// Answers until the socket is retired and empty, then closes it. It allocates nothing per packet.
    func serve() {
        defer { socket.close() }
        // The descriptor outlives this loop: only this thread closes a socket that is being served.
        guard let descriptor = socket.withDescriptor({ $0 }), let batch = nl_batch_create() else { return }
        defer { nl_batch_destroy(batch) }
        var reply: [UInt8] = []
        reply.reserveCapacity(Int(NL_DATAGRAM))
        while true {
            let count = nl_udp_receive(descriptor, batch, true)
            if count == 0 { break }
            if count < 0 {
                // Kernel memory is short: this must not end the service, nor make it spin.
                if count != -EINTR { usleep(1_000) }
                continue
            }
            answer(count, of: batch, on: descriptor, using: &reply)
        }
        // A datagram routed here before the retirement may not have reached the queue yet.
        usleep(2_000)
        while case let count = nl_udp_receive(descriptor, batch, false), count > 0 {
            answer(count, of: batch, on: descriptor, using: &reply)
        }
    }

    private func answer(_ count: CInt, of batch: OpaquePointer, on descriptor: CInt, using reply: inout [UInt8]) {
        guard let slots = nl_batch_slots(batch) else { return }
        let start = MonotonicClock.nanoseconds
        // The replies leave together, so each query took as long as the whole batch.
        defer { latency.record(nanoseconds: MonotonicClock.nanoseconds - start, count: UInt64(count)) }
        for slot in UnsafeMutableBufferPointer(start: slots, count: Int(count)).indices {
            let packet = UnsafeRawBufferPointer(start: slots[slot].query, count: Int(slots[slot].query_length))
            reply.removeAll(keepingCapacity: true)
            answering.answer(packet, from: slots[slot].client.endpoint, over: .udp, into: &reply)
            guard !reply.isEmpty, reply.count <= Int(NL_DATAGRAM) else { continue }
            slots[slot].reply.update(from: reply, count: reply.count)
            slots[slot].reply_length = UInt32(reply.count)
        }
        var outcome = nl_udp_send(descriptor, batch, count, neighbours?.handle)
        if outcome.too_long > 0 { sendShorter(count, of: batch, on: descriptor, &outcome) }
        received.wrappingAdd(UInt64(count), ordering: .relaxed)
        sent.wrappingAdd(UInt64(outcome.left), ordering: .relaxed)
        guard outcome.too_long | outcome.refused | outcome.no_room | outcome.no_neighbour != 0 else { return }
        tooLong.wrappingAdd(UInt64(outcome.too_long), ordering: .relaxed)
        refused.wrappingAdd(UInt64(outcome.refused), ordering: .relaxed)
        noRoom.wrappingAdd(UInt64(outcome.no_room), ordering: .relaxed)
        noNeighbour.wrappingAdd(UInt64(outcome.no_neighbour), ordering: .relaxed)
    }
}

extension UDPWorker {
    /// Sends replies that were too long for their path again, truncated, and corrects the counts. A path too small even
    /// for these cannot carry DNS.
    private func sendShorter(
        _ count: CInt, of batch: OpaquePointer, on descriptor: CInt, _ outcome: inout nl_sent
    ) {
        guard let slots = nl_batch_slots(batch) else { return }
        for slot in UnsafeMutableBufferPointer(start: slots, count: Int(count)).indices {
            let length = Int(slots[slot].reply_length)
            let reply = UnsafeMutableRawBufferPointer(start: slots[slot].reply, count: length)
            slots[slot].reply_length = slots[slot].too_long ? UInt32(answering.shorten(reply)) : 0
        }
        let again = nl_udp_send(descriptor, batch, count, neighbours?.handle)
        shortened.wrappingAdd(UInt64(again.left), ordering: .relaxed)
        outcome.left += again.left
        outcome.refused += again.refused
        outcome.no_room += again.no_room
        outcome.no_neighbour += again.no_neighbour
        outcome.too_long -= again.left + again.refused + again.no_room + again.no_neighbour
    }
}

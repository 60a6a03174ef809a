import ControlPlane
import Synchronization
import Testing

@Suite("The stream of events")
struct EventStreamTests {
    private final class Seen: Sendable {
        let numbers = Mutex<[UInt64]>([])
    }

    private static func stream(_ seen: Seen = Seen(), after latest: UInt64 = 10) -> EventStream {
        let number = Atomic(latest)
        let holder = Holder(number)
        return EventStream(
            after: latest, numbers: { holder.next() },
            to: [{ events in seen.numbers.withLock { $0 += events.map(\.sequence) } }])
    }

    private final class Holder: Sendable {
        private let number: Mutex<UInt64>
        init(_ number: borrowing Atomic<UInt64>) { self.number = Mutex(number.load(ordering: .relaxed)) }
        func next() -> UInt64 {
            number.withLock {
                $0 += 1
                return $0
            }
        }
    }

    @Test("subscribers see every event once, in the order of its number, from many threads")
    func order() async {
        let seen = Seen()
        let stream = Self.stream(seen)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask { for _ in 0..<100 { stream.append([.quorumRegained, .poolUsable("web", nil)]) } }
            }
        }
        #expect(seen.numbers.withLock { $0 } == Array(11...1610))
        #expect(stream.latest == 1610)
    }

    @Test("what comes after a number is at hand, until it is too long ago")
    func recent() {
        let stream = Self.stream()
        #expect(stream.recent(after: 10)?.isEmpty == true)
        #expect(stream.recent(after: 9) == nil, "events of an earlier process are in the store")
        for _ in 0..<5_000 { stream.append(.quorumRegained) }
        #expect(stream.recent(after: 5_008)?.map(\.sequence) == [5_009, 5_010])
        #expect(stream.recent(after: 11) == nil)
    }

    @Test("who waits is woken by the next event, by the deadline, and by the end", .timeLimit(.minutes(1)))
    func waiting() async {
        let stream = Self.stream()
        await stream.wait(after: 10, until: .now + .milliseconds(20))
        async let woken: Void = stream.wait(after: 10, until: .now + .seconds(50))
        stream.append(.quorumRegained)
        await woken
        await stream.wait(after: 10, until: .now + .seconds(50))
        async let ended: Void = stream.wait(after: 11, until: .now + .seconds(50))
        stream.close()
        await ended
        await stream.wait(after: 11, until: .now + .seconds(50))
    }
}

import Foundation
import LinuxSupport
import Synchronization
import Testing

/// What the threads of a test share.
private final class Progress: Sendable {
    let isStopping = Atomic(false)
    let faults = Atomic(0)
    let reads = Atomic(0)
}

@Suite("Read-mostly reference")
struct ReadMostlyTests {
    /// Notes when it goes, and holds one number twice, so that a torn or freed value shows.
    private final class Probe: Sendable {
        let number: Int
        let twin: Int
        private let alive: Alive

        init(_ number: Int, _ alive: Alive) {
            (self.number, twin, self.alive) = (number, number, alive)
            alive.count.add(1, ordering: .relaxed)
        }

        deinit { alive.count.subtract(1, ordering: .relaxed) }
    }

    private final class Alive: Sendable {
        let count = Atomic(0)
    }

    @Test("the old value is freed after its last reader, and not before")
    func release() {
        let alive = Alive()
        let reference = ReadMostly(Probe(1, alive))
        reference.read { held in
            reference.replace(with: Probe(2, alive))
            #expect(held.number == 1)
            #expect(!reference.releaseEarlier())
            #expect(reference.read { $0.number } == 2)
            #expect(alive.count.load(ordering: .relaxed) == 2)
        }
        #expect(reference.releaseEarlier())
        #expect(alive.count.load(ordering: .relaxed) == 1)
        #expect(reference.releaseEarlier(), "nothing is left to release")
    }

    @Test("readers on many threads see whole values in order while a writer replaces them")
    func stress() {
        let alive = Alive()
        let reference = ReadMostly(Probe(0, alive))
        let progress = Progress()
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<6 {
            Thread.detachNewThread {
                var last = 0
                while !progress.isStopping.load(ordering: .relaxed) {
                    let (number, twin) = reference.read { ($0.number, $0.twin) }
                    if number != twin || number < last { progress.faults.add(1, ordering: .relaxed) }
                    last = number
                    progress.reads.add(1, ordering: .relaxed)
                }
                ended.signal()
            }
        }
        // Threads take their time to start.
        while progress.reads.load(ordering: .relaxed) < 10_000 { sched_yield() }
        for number in 1...5_000 {
            reference.replace(with: Probe(number, alive))
            while !reference.releaseEarlier() { sched_yield() }
        }
        progress.isStopping.store(true, ordering: .relaxed)
        for _ in 0..<6 { ended.wait() }
        #expect(progress.faults.load(ordering: .relaxed) == 0)
        #expect(progress.reads.load(ordering: .relaxed) > 0)
        #expect(alive.count.load(ordering: .relaxed) == 1)
    }
}

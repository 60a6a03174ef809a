import Foundation
import Synchronization

/// A thread that sends queries without a pause until it is stopped, and checks each answer.
public final class Traffic: Sendable {
    public struct Tally: Sendable {
        public var asked = 0
        public var lost = 0
        /// Answers that are right in no state.
        public var wrong: [String] = []
        /// Answers by the state in which they are right; those right in several are not counted.
        public var byAnswer: [Int]
    }

    private let state: Mutex<Tally>
    private let isStopping = Atomic(false)
    private let end = DispatchSemaphore(value: 0)

    /// - Parameter queries: messages with the answers that are right for each, by state of the server.
    public init(_ client: DNSClient, _ queries: [(message: [UInt8], answers: [[UInt8]])]) {
        state = Mutex(Tally(byAnswer: (queries.first?.answers ?? []).map { _ in 0 }))
        Thread { [self] in
            var index = 0
            while !isStopping.load(ordering: .relaxed) {
                let (message, answers) = queries[index % queries.count]
                index += 1
                judge(client.ask(message), answers, message)
            }
            end.signal()
        }.start()
    }

    private func judge(_ reply: [UInt8]?, _ answers: [[UInt8]], _ message: [UInt8]) {
        state.withLock { tally in
            tally.asked += 1
            guard let reply else {
                tally.lost += 1
                return
            }
            let matches = answers.indices.filter { answers[$0] == reply }
            if matches.isEmpty, tally.wrong.count < 10 { tally.wrong.append("\(message) got \(reply)") }
            if matches.count == 1 { tally.byAnswer[matches[0]] += 1 }
        }
    }

    /// What has come so far.
    public var tally: Tally { state.withLock { $0 } }

    /// Ends the thread.
    public func stop() -> Tally {
        isStopping.store(true, ordering: .relaxed)
        end.wait()
        return tally
    }
}

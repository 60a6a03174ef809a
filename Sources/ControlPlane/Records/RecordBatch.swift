import ControlFailures
import DNSWire
import ModelCompiler

/// The requests of one round, with the callers that wait for them.
struct RecordBatch {
    private(set) var round: RecordRound
    private var accepted: [(pending: PendingRecords, change: RecordRound.Accepted)] = []

    /// Takes the requests that can be made, and refuses the others.
    ///
    /// - Parameters:
    ///   - time: of the changes, in microseconds since 1970.
    ///   - numbers: gives each request that changes something its number.
    init(
        _ requests: [PendingRecords], changing served: Served, time: Int64, numbers: @escaping @Sendable () -> UInt64
    ) {
        round = RecordRound(served.loaded, served.places, served.changes, time: time, numbers: numbers)
        for pending in requests {
            do throws(ControlFailure) { accepted.append((pending, try round.add(pending.request))) } catch {
                pending.reply.resume(returning: .failure(error))
            }
        }
    }

    /// Whether every request was refused.
    var isEmpty: Bool { accepted.isEmpty }

    /// Fails every request that is left.
    func fail(_ failure: ControlFailure) {
        for (pending, _) in accepted { pending.reply.resume(returning: .failure(failure)) }
    }

    /// Answers every request that is left.
    ///
    /// - Parameter epoch: of the model that is served with the changes.
    func answer(epoch: UInt64, _ path: PublicationPath) {
        let end = ContinuousClock.now
        for (pending, change) in accepted {
            let outcome = RecordOutcome(
                zone: change.zone, serial: change.serial, changed: change.changed, number: change.number,
                epoch: epoch, path: path, took: end - pending.request.start)
            pending.reply.resume(returning: .success(outcome))
        }
    }

    /// One event for each request that changed anything.
    func events(epoch: UInt64) -> [Event.Kind] {
        accepted.filter { $0.change.changed > 0 }.map { pending, change in
            .recordsChanged(
                RecordsChange(
                    zone: "\(change.zone)", serial: change.serial, count: change.changed,
                    author: pending.request.author, epoch: epoch))
        }
    }
}

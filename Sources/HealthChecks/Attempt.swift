import Glibc
import NIOCore
import NIOPosix
import SystemPackage

/// One probe on its way: has an outcome once, at the latest when its time is over, and then holds no descriptor.
///
/// `@unchecked Sendable`: it is touched on its event loop only.
final class Attempt: @unchecked Sendable {
    let loop: any EventLoop
    private var completion: ((ProbeOutcome) -> Void)?
    private var channel: (any Channel)?
    private var limit: Scheduled<Void>?

    init(on loop: any EventLoop, timeoutMilliseconds: Int64, _ completion: @escaping (ProbeOutcome) -> Void) {
        self.loop = loop
        self.completion = completion
        let end = NIODeadline.now() + .milliseconds(timeoutMilliseconds)
        limit = loop.scheduleTask(deadline: end) { [weak self] in
            self?.finish(
                .silence(
                    timeoutMilliseconds: timeoutMilliseconds, lateNanoseconds: (NIODeadline.now() - end).nanoseconds))
        }
    }

    /// Closes the channel with the attempt, which may be over already.
    func follow(_ opening: EventLoopFuture<any Channel>) {
        opening.whenComplete { result in
            switch result {
            case .success(let channel): self.take(channel)
            case .failure(let error): self.fail(error)
            }
        }
    }

    /// Closes a channel with the attempt, also while it is still connecting.
    func take(_ channel: any Channel) {
        if isOver { channel.close(promise: nil) } else { self.channel = channel }
    }

    func finish(_ outcome: ProbeOutcome) {
        loop.preconditionInEventLoop()
        guard let completion else { return }
        self.completion = nil
        limit?.cancel()
        limit = nil
        channel?.close(promise: nil)
        channel = nil
        completion(outcome)
    }

    var isOver: Bool { completion == nil }

    func fail(_ error: any Error) {
        switch error {
        case let error as IOError: finish(.failure(Errno(rawValue: error.errnoCode)))
        default: finish(.failed(TLSFailure.evidence(error) ?? "\("\(error)".prefix(160))"))
        }
    }
}

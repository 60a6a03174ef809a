import Health
import NIOCore
import NIOPosix
import SystemPackage

/// A running probe over NIO channels. It has one outcome, and holds no descriptor afterwards.
///
/// `@unchecked Sendable`: it is touched on its event loop only.
final class ChannelProbe: @unchecked Sendable {
    let check: Check
    let loop: any EventLoop
    /// `nil`: it has ended.
    private var completion: ((ProbeOutcome) -> Void)?
    private var channel: (any Channel)?
    /// Work that ends with the probe.
    private var task: Task<Void, Never>?

    init(_ check: Check, on loop: any EventLoop, _ completion: @escaping (ProbeOutcome) -> Void) {
        self.check = check
        self.loop = loop
        self.completion = completion
    }

    var isOver: Bool { completion == nil }

    /// Closes the channel when the probe ends. The probe may have ended already.
    func follow(_ opening: EventLoopFuture<any Channel>) {
        opening.whenComplete { result in
            switch result {
            case .success(let channel): self.take(channel)
            case .failure(let error): self.fail(error)
            }
        }
    }

    /// Closes a channel when the probe ends, even if it is still connecting.
    func take(_ channel: any Channel) {
        if isOver { channel.close(promise: nil) } else { self.channel = channel }
    }

    /// Runs work whose outcome ends the probe. It is cancelled when the probe ends before it.
    func run(_ work: @escaping @Sendable () async -> ProbeOutcome) {
        task = Task {
            let outcome = await work()
            self.loop.execute { self.finish(outcome) }
        }
    }

    func finish(_ outcome: ProbeOutcome) {
        loop.preconditionInEventLoop()
        guard let completion else { return }
        cancel()
        completion(outcome)
    }

    /// Ends the probe without an outcome.
    func cancel() {
        completion = nil
        channel?.close(promise: nil)
        channel = nil
        task?.cancel()
        task = nil
    }

    func fail(_ error: any Error) {
        switch error {
        case let error as IOError: finish(.failure(Errno(rawValue: error.errnoCode)))
        default: finish(.failed(TLSFailure.evidence(error) ?? "\("\(error)".prefix(160))"))
        }
    }
}

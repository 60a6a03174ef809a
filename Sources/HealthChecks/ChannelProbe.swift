import Health
import IPNetworks
import NIOCore
import NIOPosix
import SystemPackage

/// A running probe over NIO channels. It has one outcome, and holds no descriptor afterwards.
///
/// `@unchecked Sendable`: it is touched on its event loop only.
final class ChannelProbe: @unchecked Sendable {
    let check: Check
    /// The address to probe. `nil`: it is still being looked up.
    private(set) var target: IPAddress?
    let loop: any EventLoop
    /// `nil`: it has ended.
    private var completion: ((ProbeOutcome) -> Void)?
    private var channel: (any Channel)?
    /// Work that ends with the probe.
    private var task: Task<Void, Never>?
    /// Ends a lookup that takes too long.
    private var alarm: Scheduled<Void>?

    init(_ check: Check, on loop: any EventLoop, _ completion: @escaping (ProbeOutcome) -> Void) {
        self.check = check
        target = check.target.address
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

    /// Finds the address of the check's host, then continues. The lookup ends with the probe.
    ///
    /// It may take half of the timeout, which then begins again: how long this machine takes to look up a name says nothing
    /// about the host.
    func lookUp(_ host: String, in hosts: HostAddresses, then start: @escaping @Sendable (ChannelProbe) -> Void) {
        alarm = loop.scheduleTask(in: .milliseconds(check.timeoutMilliseconds / 2)) {
            self.finish(.unasked("\(host) was not looked up within half of the timeout"))
        }
        task = Task {
            let found = await hosts.find(host, for: self.check)
            self.loop.execute {
                guard !self.isOver else { return }
                self.alarm?.cancel()
                switch found {
                case .address(let address):
                    self.target = address
                    start(self)
                case .outcome(let outcome): self.finish(outcome)
                }
            }
        }
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
        let told = located(outcome)
        cancel()
        completion(told)
    }

    /// With the address that was probed, where the check names a host, which may have many.
    private func located(_ outcome: ProbeOutcome) -> ProbeOutcome {
        guard check.target.address == nil, let target else { return outcome }
        return outcome.adding(" at \(target)")
    }

    /// Ends the probe without an outcome.
    func cancel() {
        completion = nil
        channel?.close(promise: nil)
        channel = nil
        task?.cancel()
        alarm?.cancel()
        (task, alarm) = (nil, nil)
    }

    func fail(_ error: any Error) {
        switch error {
        case let error as IOError: finish(.failure(Errno(rawValue: error.errnoCode)))
        default: finish(.failed(TLSFailure.evidence(error) ?? "\("\(error)".prefix(160))"))
        }
    }
}

import Health
import IPNetworks

/// Seconds.
func at(_ seconds: Int64) -> Moment { Moment(milliseconds: seconds * 1_000) }

/// A check that is asked every second; two failures take a node out, two successes bring it back.
func quickCheck(_ port: UInt16 = 80, fall: Int = 2, rise: Int = 2) -> Check {
    Check(
        .tcp(TCPProbe(port: port)), target: .v4(0xc633_640a), intervalMilliseconds: 1_000, timeoutMilliseconds: 500,
        fall: fall, rise: rise)
}

/// One that never lets two nodes fall at once, and one that is off.
let tightBrake = Brake(percent: 1, holdMilliseconds: 60_000)
let noBrake = Brake(percent: 100, holdMilliseconds: 60_000)

extension NodeHealth {
    /// Takes results of its first check, one a second from `start` on.
    mutating func take(_ results: String, from start: Int64 = 0, mayFall: FallPermits = true) -> [Transition] {
        results.enumerated().flatMap { index, result in
            take(
                result == "+" ? .passed : .failed, check: 0, at: at(start + Int64(index)), brake: Brake(),
                mayFall: mayFall)
        }
    }
}

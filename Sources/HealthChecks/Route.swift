import CLinux
import IPNetworks
import SystemPackage

/// Routes of this machine.
enum Route {
    /// Why this machine cannot reach an address at all. A channel cannot tell that from a router's answer.
    ///
    /// - Returns: `nil` if there is a route.
    static func problem(to target: IPAddress, from source: IPAddress?) -> ProbeOutcome? {
        let (target, source) = (target.bytes, source?.bytes)
        let result =
            if let source { linux_route(target, source, CInt(target.count)) } else {
                linux_route(target, nil, CInt(target.count))
            }
        return result < 0 ? .refusedHere(Errno(rawValue: -result)) : nil
    }
}

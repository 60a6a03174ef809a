import SystemPackage

extension ProbeOutcome {
    /// The outcome of a failed system call. If this host lacks a resource, it says nothing about the node.
    static func failure(_ errno: Errno) -> ProbeOutcome {
        switch errno {
        case _ where isOwn(errno): .unasked("this host cannot probe: \(errno)")
        case .connectionRefused: .refused("\(errno)".lowercased())
        default: .failed("\(errno)".lowercased())
        }
    }

    /// The outcome of a call that failed at once, before anything was sent: this host has no route to the node, or forbids
    /// it. The same error later is the answer of a router or the silence of a neighbour.
    static func refusedHere(_ errno: Errno) -> ProbeOutcome {
        switch errno {
        case .networkUnreachable, .noRouteToHost, .networkDown, .invalidArgument,
            .addressFamilyNotSupported:
            .unasked("this host has no route to the node: \(errno)")
        default: failure(errno)
        }
    }

    private static func isOwn(_ errno: Errno) -> Bool {
        switch errno {
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory, .addressNotAvailable,
            .addressInUse, .permissionDenied, .notPermitted:
            true
        default: false
        }
    }
}

import SystemPackage

extension ProbeOutcome {
    /// The outcome of a failed system call. If this host lacks a resource, it says nothing about the node.
    static func failure(_ errno: Errno) -> ProbeOutcome {
        isOwn(errno) ? .unasked("this host cannot probe: \(errno)") : .failed("\(errno)".lowercased())
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

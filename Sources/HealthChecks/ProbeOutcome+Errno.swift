import SystemPackage

extension ProbeOutcome {
    /// What a failed system call says of the node: nothing where the want is this machine's own.
    static func failure(_ errno: Errno) -> ProbeOutcome {
        isOwn(errno) ? .unasked("this machine cannot ask: \(errno)") : .failed("\(errno)".lowercased())
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

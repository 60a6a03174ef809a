import Glibc

extension ProbeOutcome {
    /// What a failed system call says of the node: nothing where the want is this machine's own.
    static func failure(errno code: CInt) -> ProbeOutcome {
        let text = String(cString: strerror(code))
        return isOwn(code) ? .unasked("this machine cannot ask: \(text)") : .failed(text.lowercased())
    }

    private static func isOwn(_ code: CInt) -> Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EADDRINUSE, EACCES, EPERM].contains(code)
    }
}

/// Why a certificate and its key cannot be used, as a message for the operator.
public struct CertificateError: Error, Equatable, CustomStringConvertible {
    /// The file at fault.
    public enum Subject: String, Sendable {
        case certificate
        case key
    }

    public let subject: Subject
    public let path: String
    private let message: String
    private var section = "tls"

    init(_ subject: Subject, _ path: String, _ message: String) {
        self.subject = subject
        self.path = path
        self.message = message
    }

    /// The same error, for files named in another section of the configuration.
    func of(_ section: String) -> CertificateError {
        var error = self
        error.section = section
        return error
    }

    /// One line: `tls.key /etc/dot.key cannot be read (No such file or directory): check the path and its permissions`.
    public var description: String { "\(section).\(subject.rawValue) \(path) \(message)" }
}

import DNSWire

/// Identification that the server discloses on request. Unset values are not disclosed.
public struct ServerIdentity: Hashable, Sendable {
    /// Maximum length of an identifier in bytes.
    public static let maximumNSIDLength = 128

    /// Sent to queries that request it (RFC 5001).
    public let nsid: [UInt8]?
    /// RDATA of TXT at `id.server` and `hostname.bind`; each record is preceded by its length.
    let hostname: [UInt8]?
    /// RDATA of TXT at `version.server` and `version.bind`.
    let version: [UInt8]?
    /// Whether the model's digest is disclosed.
    let tellsDigest: Bool
    /// RDATA of TXT at `digest.nearcast`.
    private(set) var digest: [UInt8]?

    /// - Precondition: `nsid` has at most 128 bytes, `hostname` and `version` at most 255 each.
    public init(nsid: [UInt8]? = nil, hostname: String? = nil, version: String? = nil, tellsDigest: Bool = false) {
        precondition(nsid.map { $0.count <= Self.maximumNSIDLength } ?? true, "an identifier has at most 128 bytes")
        self.nsid = nsid
        self.hostname = hostname.map { Self.text($0) }
        self.version = version.map { Self.text($0) }
        self.tellsDigest = tellsDigest
    }

    /// The identity of a server that answers from `model`.
    func serving(_ model: ServingModel) -> ServerIdentity {
        guard tellsDigest else { return self }
        var identity = self
        identity.digest = Self.text("digest=\(model.digest.hexadecimal)", "epoch=\(model.epoch)")
        return identity
    }

    private static func text(_ strings: String...) -> [UInt8] {
        let data = strings.flatMap { string in
            let bytes = Array(string.utf8)
            precondition(bytes.count <= 255, "a character string has at most 255 bytes")
            return [UInt8(bytes.count)] + bytes
        }
        return [UInt8(data.count >> 8), UInt8(data.count & 255)] + data
    }

    /// The RDATA at a name of class CH, given in lower case. `nil` for all names but the four of RFC 4892 and one of
    /// our own, and for values that are not disclosed.
    func chaosText(at name: UnsafeRawBufferPointer) -> [UInt8]? {
        if Self.hostnameNames.contains(where: { $0.elementsEqual(name) }) { return hostname }
        if Self.versionNames.contains(where: { $0.elementsEqual(name) }) { return version }
        return Self.digestName.elementsEqual(name) ? digest : nil
    }

    private static let hostnameNames = [wire("id", "server"), wire("hostname", "bind")]
    private static let versionNames = [wire("version", "server"), wire("version", "bind")]

    private static let digestName = wire("digest", "nearcast")

    private static func wire(_ labels: String...) -> [UInt8] {
        labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
}

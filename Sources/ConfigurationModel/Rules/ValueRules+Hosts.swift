import DNSWire
import IPNetworks

/// Names of outside hosts.
extension ValueRules {
    /// Reports a text that is a domain name by its form, but cannot be the name of a host (RFC 1123, section 2.1). An
    /// underscore passes: some services have it in names that lead to addresses.
    ///
    /// - Parameter instead: what to write if it is an address.
    func requireHostName(_ declared: Declared<String>, _ name: @autoclosure Words, instead: String) {
        guard let text = declared.located, let host = try? DomainName(text.value) else { return }
        let found = "\(name()) is \(text.quoted)"
        if IPAddress(text.value) != nil {
            report(text.location, "\(found), an address, expected the name of a host", remedy: instead)
        } else if let start = text.value.firstRange(of: "://")?.upperBound {
            let rest = text.value[start...].prefix { !"/:?#".contains($0) }
            report(
                text.location, "\(found), a URL, expected the name of a host",
                remedy: rest.isEmpty ? "write the host's name alone" : "write \(Spelling.quoted(String(rest)))")
        } else if !host.isHostName {
            report(
                text.location, "\(found), expected the name of a host",
                remedy: "use letters, digits and hyphens, and no number as its last label")
        }
    }
}

extension DomainName {
    /// Whether a host can have this name. The last label of a host's name is never a number: no name looks like an
    /// address.
    fileprivate var isHostName: Bool {
        guard !isRoot, !isWildcard else { return false }
        let text = "\(self)".utf8.dropLast()
        let last = text.reversed().prefix { $0 != UInt8(ascii: ".") }
        return !last.allSatisfy { (0x30...0x39).contains($0) }
            && text.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

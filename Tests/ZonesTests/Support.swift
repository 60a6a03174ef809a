import DNSWire
import IPNetworks
import Resolution

/// The name of `text`, which the test has written correctly.
func name(_ text: String) -> DomainName {
    do { return try DomainName(text) } catch { preconditionFailure("\(text): \(error)") }
}

func address(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure(text) }
    return address
}

/// A query of class IN with an OPT record that leaves room for 1,232 bytes.
func query(_ owner: String, _ type: RecordType) -> [UInt8] {
    [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1] + name(owner).wire
        + [UInt8(type.rawValue >> 8), UInt8(type.rawValue & 255), 0, 1]
        + [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]
}

/// Nothing is tailored.
struct NoTailored: TailoredResolving {
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { nil }
    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision { .noData }
}

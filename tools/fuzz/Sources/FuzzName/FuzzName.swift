import DNSWire
import FuzzSupport

/// The bytes as a name's wire form and as its text; what is taken has to come back the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: data, count: count))
    if let name = DomainName(wire: input) {
        require(name.wire == input, "the wire form changed")
        check(name)
    }
    if let length = input.withUnsafeBytes({ DomainName.wireLength(in: $0, at: 0) }) {
        require(DomainName(wire: input[..<length]) != nil, "a name has a length and is none")
    }
    if let name = try? DomainName(presentation: input, relativeTo: .root) { check(name) }
    return 0
}

/// Text, order, parents and suffixes of a name that was taken.
private func check(_ name: DomainName) {
    require(name.wire.count <= DomainName.maximumLength && name.wire.last == 0, "\(name.wire): not a name")
    require(DomainName(wire: name.wire) != nil, "\(name.wire): refused in wire form")
    guard let again = try? DomainName(name.description) else { fatalError("\(name): its own text is refused") }
    require(again.wire == name.wire, "\(name): its own text is another name")
    require(again == name && again.hashValue == name.hashValue && !(again < name), "\(name): unequal to itself")
    require(name.isSubdomain(of: .root), "\(name): not below the root")
    guard let parent = name.parent else { return require(name.labelCount == 0, "\(name): no parent") }
    require(name.isSubdomain(of: parent) && parent < name, "\(name): before its parent")
    require(parent.labelCount == name.labelCount - 1, "\(name): labels do not add up")
}

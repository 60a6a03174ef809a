import ControlFailures
import DNSWire
import FoundationEssentials
import FuzzSupport
import ManagementTypes
import Zones

/// The first byte chooses what is sent, the rest is the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: data, count: count))
    guard let kind = input.first else { return 0 }
    let body = Array(input.dropFirst())
    switch kind % 5 {
    case 0: _ = read(NodesStateChange.self, body) { $0.nodes == $1.nodes && isSame($0.change, $1.change) }
    case 1: _ = read(NodeStateChange.self, body, isSame: isSame)
    case 2: _ = read(HandoverRequest.self, body)
    case 3:
        if let change = read(ManagementTypes.RRsetsChange.self, body) { check(change) }
    default:
        do throws(ControlFailure) {
            check(ManagementTypes.RRsetsChange(changes: try RRsetEdit.list(of: body, in: "changes.json")))
        } catch { check(error) }
    }
    return 0
}

/// What is taken is read the same from its own JSON, on one line or many.
private func read<Value: Codable & Equatable>(
    _ type: Value.Type, _ body: [UInt8], isSame: (Value, Value) -> Bool = { $0 == $1 }
) -> Value? {
    let value: Value
    do throws(ControlFailure) { value = try ControlJSON.body(type, from: body, example: "{}") } catch {
        check(error)
        return nil
    }
    for pretty in [false, true] {
        guard let written = try? ControlJSON.encode(value, pretty: pretty) else { fatalError("\(value): no JSON") }
        let text = String(decoding: written, as: UTF8.self)
        guard let again = try? ControlJSON.decode(type, from: written) else { fatalError("\(text): refused") }
        require(isSame(again, value), "\(text): another value")
    }
    return value
}

/// Times are kept to the microsecond, and far from now to what a number of 53 bits has of it.
private func isSame(_ left: NodeStateChange, _ right: NodeStateChange) -> Bool {
    guard let start = left.startsAt, let other = right.startsAt else { return left == right }
    var moved = left
    moved.startsAt = other
    return moved == right && abs(start.timeIntervalSince(other)) < 1e-3
}

/// A request that is read is all of the change, in records that a zone can hold.
private func check(_ change: ManagementTypes.RRsetsChange) {
    do throws(ControlFailure) {
        let request = try RecordRequest(change, zone: "example.com")
        require(request.changes.count == change.changes.count, "a change is lost")
        for (read, wish) in zip(request.changes, change.changes) {
            require(read.records.count == wish.records?.count ?? 0, "a record is lost")
            require(read.records.allSatisfy { $0.count <= 65_535 && read.type.isWellFormed($0) }, "malformed RDATA")
        }
    } catch { check(error) }
}

/// A refusal is one of the sender's, and the same at the other end of the socket.
private func check(_ failure: ControlFailure) {
    require(failure.code == .invalid || failure.code == .tooLarge, "\(failure.code): \(failure)")
    for line in failure.message.split(separator: "\n", omittingEmptySubsequences: false) {
        // A name of 255 bytes may be in it, each of them escaped.
        requireReadable(String(line), atMost: 4_096)
    }
    require(failure.remedy != nil, "no remedy: \(failure)")
    guard let written = try? ControlJSON.encode(FailureReport(error: failure)),
        let again = try? ControlJSON.decode(FailureReport.self, from: written)
    else { fatalError("\(failure): no JSON") }
    require(again.error == failure, "\(failure): another failure at the client")
}

import ControlFailures
import FuzzSupport
import ManagementTypes

/// The first byte chooses between what a node says and what a vantage point sees; the rest is the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: data, count: count))
    guard let kind = input.first else { return 0 }
    let body = Array(input.dropFirst())
    do throws(ControlFailure) {
        if kind % 2 == 0 {
            let (statement, ignored) = try NodeStatement.read(body)
            check(statement, ignored)
        } else {
            check(try ObserverVerdicts.read(body))
        }
    } catch {
        require(error.code == .invalid || error.code == .tooLarge, "\(error.code): \(error)")
        requireReadable(error.message)
        require(error.remedy != nil || error.code == .tooLarge, "no remedy: \(error)")
    }
    return 0
}

/// A statement that is taken keeps the ranges of its documentation, and is read the same from its own JSON.
private func check(_ statement: NodeStatement, _ ignored: [String]) {
    func require(_ value: Double?, _ range: ClosedRange<Double>) {
        if let value { FuzzSupport.require(range.contains(value), "\(value): outside of \(range)") }
    }
    require(statement.load, 0...1e12)
    require(statement.capacity, 1e-3...1e12)
    require(statement.connections.map(Double.init), 0...1e12)
    require(statement.share.map(Double.init), 1...256)
    require(statement.forSeconds.map(Double.init), 1...31_622_400)
    let peers = statement.peers ?? [:]
    FuzzSupport.require(peers.count <= 256, "\(peers.count) peers")
    for (id, latency) in peers {
        FuzzSupport.require((1...63).contains(id.utf8.count), "\(id): no id")
        require(latency, 0...60_000)
    }
    for text in [statement.author, statement.reason].compactMap(\.self) where !text.isEmpty {
        requireReadable(text, atMost: 256)
    }
    FuzzSupport.require(ignored.count <= 16, "\(ignored.count) names are told back")
    for name in ignored where !name.isEmpty { requireReadable(name, atMost: 1_024) }

    guard let written = try? ControlJSON.encode(statement), let again = try? NodeStatement.read(written) else {
        fatalError("\(statement): its own JSON is refused")
    }
    FuzzSupport.require(again.statement == statement, "\(statement): another statement")
    FuzzSupport.require(again.ignored.isEmpty, "\(again.ignored): not known to the reader that wrote them")
}

private func check(_ verdicts: ObserverVerdicts) {
    require(verdicts.verdicts.count <= 4_096, "\(verdicts.verdicts.count) verdicts")
    guard let written = try? ControlJSON.encode(verdicts), let again = try? ObserverVerdicts.read(written) else {
        fatalError("\(verdicts): its own JSON is refused")
    }
    require(again == verdicts, "\(verdicts): other verdicts")
}

import Access
import ControlFailures
import Foundation
import Glibc
import Logging
import ManagementClient
import ManagementServer
import ManagementTypes
import ServiceLifecycle
import Synchronization
import Telemetry

/// A daemon that knows two nodes and remembers what was asked.
final class FakeDaemon: ControlHandling {
    let asked = Mutex<[String]>([])
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// Who asked for each change.
    let callers = Mutex<[Caller]>([])
    /// Takes reports in its place.
    private let scribe: Scribe?

    init(scribe: Scribe? = nil) { self.scribe = scribe }

    private func note(_ text: String, by caller: Caller? = nil) {
        asked.withLock { $0.append(text) }
        if let caller { callers.withLock { $0.append(caller) } }
    }

    static func node(_ id: String, _ state: NodeState = .up) -> NodeReport {
        NodeReport(
            id: id, state: state, share: 256, ttl: 60, addresses: ["198.51.100.10"],
            location: NodeLocation(latitude: 50.11, longitude: 8.68, city: "Frankfurt", country: "DE"), slot: 0,
            version: 3,
            changedAt: start)
    }

    static let status = StatusReport(
        version: "0.1", pid: 42, startedAt: start, uptimeSeconds: 1.5, epoch: 7, digest: "00ff",
        fastPath: [InterfaceReport(interface: "eth0", mode: .native, programID: 12, tag: "abcd")], layoutVersion: 1,
        generation: 0, listen: ["192.0.2.53:53"], nodes: NodeCounts(total: 2, byState: ["up": 2]),
        counters: CountersReport(fastPath: ["answered": .max], slowPath: [:]),
        memory: [TableMemory(table: "names", bytes: 1 << 33)], geo: nil,
        zones: ZonesReport(
            total: 1, records: 4, failed: 0,
            zones: [ZoneReport(origin: "example.com.", serial: 1, records: 4, loadedAt: start)]),
        reloads: ReloadsReport(watch: .apply))

    func status() async throws(ControlFailure) -> StatusReport { Self.status }

    func explain(_ request: ExplainRequest) async throws(ControlFailure) -> ExplainReport {
        note("\(request.name) \(request.type) \(request.from) \(request.sender ?? "-")")
        guard request.name == "www.example.com" else {
            throw ControlFailure(.notFound, "\(request.name) is not served", remedy: "add it to tailored")
        }
        return ExplainReport(
            name: request.name, type: request.type, client: request.from, clientPlace: ClientPlace(known: false),
            source: .ecs, pool: "web", policy: "nearest", scope: 24, choices: [], answers: ["198.51.100.10"],
            responseCode: "NOERROR", ttl: 60,
            path: .fast, epoch: 7, digest: "00ff")
    }

    func nodes() async throws(ControlFailure) -> [NodeReport] { [Self.node("fra1"), Self.node("ny c/1?")] }

    func setNode(
        _ id: String, to change: NodeStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodeReport {
        note("\(id) \(change.state) \(change.reason ?? "-") \(change.author ?? "-")", by: caller)
        if id == "gone" { throw ControlFailure(.notFound, "no node gone") }
        if id == "last" {
            throw ControlFailure(.conflict, "last is the last usable node of web", remedy: "use --force")
        }
        return Self.node(id, .down)
    }

    func state(
        _ statement: NodeStatement, of id: String, as caller: Caller
    ) async throws(ControlFailure) -> StatementReceipt {
        if let scribe { return try await scribe.state(statement, of: id, as: caller) }
        note("\(id) \(statement.state?.rawValue ?? "-") \(statement.load ?? 0)", by: caller)
        if id == "gone" { throw ControlFailure(.notFound, "no node gone") }
        return StatementReceipt(node: id, state: .up, authority: "report", validSeconds: 60)
    }

    func take(
        _ verdicts: ObserverVerdicts, from observer: String, as caller: Caller
    ) async throws(ControlFailure) -> VerdictsReceipt {
        if let scribe { return try await scribe.take(verdicts, from: observer, as: caller) }
        note("\(observer) \(verdicts.verdicts.count)", by: caller)
        return VerdictsReceipt(observer: observer, counted: verdicts.verdicts.count, isHeard: true, validSeconds: 30)
    }

    func setNodes(_ change: NodesStateChange, by caller: Caller) async throws(ControlFailure) -> NodesStateReport {
        note("\(change.nodes ?? []) \(change.pool ?? "-") \(change.all ?? false) \(change.change.state)", by: caller)
        return Self.many
    }

    static let many = NodesStateReport(
        nodes: [.init(id: "fra1", state: .drained), .init(id: "ny c/1?", state: .down)], changed: 1,
        tookMicroseconds: 12.5)

    func history(of id: String?, limit: Int) async throws(ControlFailure) -> [TransitionReport] {
        note("history \(id ?? "-") \(limit)")
        return [Self.transition]
    }

    static let transition = TransitionReport(
        sequence: 9, time: Date(timeIntervalSince1970: 1_700_000_000.25), node: "fra1", from: .up, to: .down,
        cause: "checks", authority: "checks",
        evidence: "tcp 198.51.100.10:443: connection refused", epoch: 7)

    /// After this one nothing happens until ``goOn()``.
    static let quiet: UInt64 = 1_000
    private let isQuiet = Atomic(true)

    /// Whether reloads wait.
    let isHolding = Atomic(false)

    func goOn() { isQuiet.store(false, ordering: .relaxed) }

    func transitions(
        after sequence: UInt64?, waitSeconds: Int
    ) async throws(ControlFailure) -> TransitionsReport {
        note("transitions \(sequence.map { "\($0)" } ?? "-") \(waitSeconds)")
        let limit = ContinuousClock.now + .seconds(waitSeconds)
        while sequence == Self.quiet, isQuiet.load(ordering: .relaxed), ContinuousClock.now < limit {
            try? await Task.sleep(for: .milliseconds(2))
        }
        return TransitionsReport(latest: 9, transitions: sequence == nil ? [] : [Self.transition])
    }

    func inspectNames(_ request: InspectNamesRequest) async throws(ControlFailure) -> NamesReport {
        let name = NameReport(
            name: request.under ?? "all", zone: "example.com", kind: "tailored", types: ["A"], hash: "1")
        return NamesReport(total: 5_000, names: [NameReport](repeating: name, count: request.limit))
    }

    func inspectLocation(_ prefix: String) async throws(ControlFailure) -> LocationReport {
        LocationReport(
            prefix: prefix, leaf: "203.0.113.0/24", scope: 24, location: 5, place: ClientPlace(known: true),
            steps: ["root"])
    }

    func inspectNodes() async throws(ControlFailure) -> NodeTableReport { NodeTableReport(generation: 1, nodes: []) }

    func inspectCounters() async throws(ControlFailure) -> CountersReport {
        CountersReport(fastPath: ["declined": 1], slowPath: ["answered": 2])
    }

    func detach(by caller: Caller) async throws(ControlFailure) -> DetachReport {
        note("detach", by: caller)
        return DetachReport(interfaces: ["eth0"], removed: ["/sys/fs/bpf/nearcast"])
    }

    func attach(by caller: Caller) async throws(ControlFailure) -> AttachReport {
        note("attach", by: caller)
        return AttachReport(interfaces: [InterfaceReport(interface: "eth0", mode: .native, programID: 12, tag: "abcd")])
    }

    func handOver(_ request: HandoverRequest, by caller: Caller) async throws(ControlFailure) -> HandoverReport {
        note("handover \(request.pid)", by: caller)
        return HandoverReport(pid: 4711)
    }

    func reload(by caller: Caller) async throws(ControlFailure) -> ReloadReport {
        note("reload", by: caller)
        while isHolding.load(ordering: .relaxed) { try? await Task.sleep(for: .milliseconds(2)) }
        return ReloadReport(
            trigger: .command, epoch: 8, digest: "00fe", changed: true,
            zones: .init(total: 1, changed: ["a."], count: 1),
            nodes: .init(total: 2), tailored: .init(total: 0), pools: .init(total: 1), policies: .init(total: 1),
            database: false, steering: false, fastPath: .tables, problems: [], loadSeconds: 0.25, tookSeconds: 0.5)
    }

    static func change(_ state: ChangeReport.State, by caller: Caller, reason: String? = nil) -> ChangeReport {
        ChangeReport(
            number: 17, state: state, plannedAt: start, author: "\(caller)", reason: reason,
            closedAt: state == .planned ? nil : start, closedBy: state == .planned ? nil : "\(caller)",
            guards: [.init(name: "clients_moved", measure: "12.3 % of the IPv4 clients of www.example.com.")],
            accepted: state == .applied ? ["clients_moved"] : nil, epoch: state == .applied ? 9 : nil)
    }

    func plan(_ order: PlanOrder, by caller: Caller) async throws(ControlFailure) -> ChangeReport {
        note("plan \(order.reason ?? "-") \(order.author ?? "-")", by: caller)
        return Self.change(.planned, by: caller, reason: order.reason)
    }

    func changes() async throws(ControlFailure) -> [ChangeReport] { [Self.change(.applied, by: .agent("x"))] }

    func change(_ number: UInt64) async throws(ControlFailure) -> ChangeReport {
        guard number != 99 else { throw ControlFailure(.notFound, "there is no change \(number)") }
        return Self.change(.planned, by: .agent("x"))
    }

    func apply(
        _ number: UInt64, _ order: ApplyOrder, by caller: Caller
    ) async throws(ControlFailure) -> ChangeReport {
        note("apply \(number) \(order.accept ?? []) \(order.author ?? "-")", by: caller)
        return Self.change(.applied, by: caller)
    }

    func withdraw(_ number: UInt64, by caller: Caller) async throws(ControlFailure) -> ChangeReport {
        note("withdraw \(number)", by: caller)
        return Self.change(.withdrawn, by: caller)
    }

    func previewReload(by caller: Caller) async throws(ControlFailure) -> ReloadPreview {
        note("preview reload", by: caller)
        return ReloadPreview(
            epoch: 8, digest: "00fe", changed: true, zones: .init(total: 1, changed: ["a."], count: 1),
            nodes: .init(total: 2), tailored: .init(total: 0), pools: .init(total: 1), policies: .init(total: 1),
            settings: ["rate_limit"], database: false, steering: false,
            records: [.init(zone: "a.", serial: 1, nextSerial: 2, added: 1, removed: 0, rrsets: [Self.difference])],
            problems: [], warnings: [], loadSeconds: 0.25)
    }

    private static let difference = RRsetDifference(
        name: "www.a.", type: "A", removed: [], added: ["www.a. 300 IN A 192.0.2.1"])

    func preview(_ change: RRsetsChange, of zone: String) async throws(ControlFailure) -> RRsetsPreview {
        note("preview \(zone) \(change.changes.map(\.name))")
        return RRsetsPreview(zone: "example.com.", serial: 7, nextSerial: 8, rrsets: [Self.difference])
    }

    static let roundTrips = RoundTripsReport(
        learning: LearningReport(node: "fra1", ports: [443], file: "/var/lib/nearcast/rtt.csv", published: 1),
        counted: 40, unmeasured: 1, lost: 0, unplaced: 2,
        places: [PlaceRoundTrip(place: "DE-Hesse", connections: 38, median: 4.53, published: 4.5)])

    func roundTrips() async throws(ControlFailure) -> RoundTripsReport { Self.roundTrips }

    func rrsets(_ request: RRsetsRequest) async throws(ControlFailure) -> RRsetsReport {
        note("rrsets \(request.zone) \(request.name ?? "-") \(request.changed) \(request.limit)")
        return RRsetsReport(
            zone: "example.com.", serial: 7, changed: 1, total: 1,
            rrsets: [
                RRsetReport(
                    name: "www.example.com.", type: "A", ttl: 300, records: ["192.0.2.1"], changedAt: Self.start,
                    changedBy: "ann")
            ])
    }

    static let receipt = RRsetsReceipt(
        zone: "example.com.", serial: 8, changed: 2, epoch: 9, fastPath: .names, tookMilliseconds: 2.5)

    func change(
        _ change: RRsetsChange, of zone: String, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        note("change \(zone) \(change.changes.map(\.name)) \(change.author ?? "-")", by: caller)
        if zone == "signed" { throw ControlFailure(.conflict, "signed is signed") }
        return Self.receipt
    }

    func forgetChanges(
        of zone: String, names: [String], type: String?, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        note("forget \(zone) \(names) \(type ?? "-")", by: caller)
        return Self.receipt
    }

    func recordHistory(_ request: RecordHistoryRequest) async throws(ControlFailure) -> [RecordChangeReport] {
        note("record history \(request.zone) \(request.name ?? "-") \(request.type ?? "-") \(request.limit)")
        return [
            RecordChangeReport(
                change: 4711, time: Self.start, zone: "example.com.", name: "www.example.com.", type: "A", before: nil,
                after: RecordContent(ttl: 300, records: ["192.0.2.1"]), serial: 8, author: "ann")
        ]
    }

    func undo(
        _ number: UInt64, of zone: String, _ order: UndoOrder, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt {
        note("undo \(number) \(zone) \(order.author ?? "-")", by: caller)
        return Self.receipt
    }

    func previewUndo(_ number: UInt64, of zone: String) async throws(ControlFailure) -> RRsetsPreview {
        note("preview undo \(number) \(zone)")
        return RRsetsPreview(zone: "example.com.", serial: 7, nextSerial: 8, rrsets: [Self.difference])
    }

    func export(_ zone: String) async throws(ControlFailure) -> [UInt8] { Array("\(zone) 300 IN A 192.0.2.1\n".utf8) }

    func zone(of name: String) async throws(ControlFailure) -> ZoneReport {
        note("zone of \(name)")
        return ZoneReport(origin: "example.com.", serial: 7, records: 3, loadedAt: Self.start)
    }

    var isServing: Bool { true }

    func metrics() async throws(ControlFailure) -> [MetricSample] {
        [MetricSample("nearcast_epoch", .gauge, help: "The model served.", value: 7)]
    }
}

/// A socket path in a folder that does not exist yet.
func temporaryPath() -> String {
    "/tmp/nearcast-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))/run/control.sock"
}

/// Removes the two folders that `temporaryPath` made up, unless a test left something in them.
private func removeEmptyFolders(above path: String) {
    let folder = (path as NSString).deletingLastPathComponent
    rmdir(folder)
    rmdir((folder as NSString).deletingLastPathComponent)
}

/// Runs blocking work off the cooperative pool, which the server's tasks need.
func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}

let silentLogger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// Runs a server at a temporary path while `body` uses a client of it.
func withServer<Result: Sendable>(
    _ daemon: FakeDaemon = FakeDaemon(), at path: String = temporaryPath(), limits: ControlServer.Limits = .init(),
    _ body: @escaping @Sendable (ControlClient) throws -> Result
) async throws -> Result {
    defer { removeEmptyFolders(above: path) }
    let server = try ControlServer(path: path, handler: daemon, logger: silentLogger, limits: limits)
    let group = ServiceGroup(configuration: .init(services: [server], logger: silentLogger))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(
                try await offPool {
                    try waitForSocket(path)
                    return try body(ControlClient(path: path, timeoutSeconds: 60))
                })
        } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return try result.get()
    }
}

/// The mode is the last thing set at the start. Patient: tests of other targets may hold the pool's threads for seconds.
private func waitForSocket(_ path: String) throws {
    for _ in 0..<60_000 {
        if mode(path) == 0o660 { return }
        usleep(1_000)
    }
    throw ControlFailure(.unavailable, "the server did not start")
}

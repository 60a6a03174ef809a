import ArgumentParser
import CommandLineText
import ConfigurationModel
import ConfigurationYAML
import ControlFailures
import DNSWire
import FoundationEssentials
import IPNetworks
import ModelCompiler
import Resolution
import Simulation
import Steering
import VisibleText

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract:
            "Answer the whole address space, or a log of queries, and show each node's clients and what a change moves.",
        discussion: """
            Uses the daemon's own code, serves nothing and needs no daemon. All nodes are up except those of --down. With \
            --down, --against or both, clients are answered twice: as configured, and after the change. With --load, shares \
            also follow regions and loads as in the daemon, until they settle; each client is one unit of load.
            """)

    @Argument(help: ArgumentHelp("The configuration file.", valueName: "config"))
    var path: String

    @Option(help: "The queried tailored name. (default: the first)")
    var name: String?

    @Option(help: "A or AAAA.")
    var type = "A"

    @Option(
        help: ArgumentHelp("The clients' address space: v4 or v6. (default: that of the type)", valueName: "family"))
    var clients: String?

    @Option(help: ArgumentHelp("A query log in its place, with lines CLIENT [NAME [TYPE]].", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Nodes that go down.", valueName: "id,…"))
    var down: String?

    @Option(help: ArgumentHelp("Another configuration, to compare with.", valueName: "config"))
    var against: String?

    @Option(help: ArgumentHelp("Write a world map, with clients coloured by node.", valueName: "file"))
    var svg: String?

    @Flag(help: "Lower shares by regions and loads, and show the nodes' loads; needs --down.")
    var load = false

    @Option(help: ArgumentHelp("Percent of all capacity that the clients take, for --load.", valueName: "percent"))
    var use = 60

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard ["A", "AAAA"].contains(type.uppercased()) else {
            throw ValidationError("--type is \"\(type)\", expected A or AAAA")
        }
        if let name, (try? DomainName(name)) == nil { throw ValidationError("--name \"\(name)\" is not a domain name") }
        if let clients, IPFamily(word: clients) == nil {
            throw ValidationError("--clients is \"\(clients)\", expected v4 or v6")
        }
        guard clients == nil || log == nil else {
            throw ValidationError("--clients and --log are both given, expected one of them")
        }
        guard !load || down != nil && against == nil else {
            throw ValidationError("--load shows what happens when nodes fail: give --down, and not --against")
        }
        guard (1...100).contains(use) else { throw ValidationError("--use is \(use), expected 1 to 100 percent") }
    }

    func run() throws(ControlFailure) {
        let question = question()
        var slots = SlotTable()
        let loaded = try load(path, &slots)
        let before = try scenario(loaded.model, question, path)
        let asking = try asking(before)
        var after: Scenario?
        if let against {
            after = try scenario(try load(against, &slots, earlier: loaded).model, question, against, down: nodesDown)
        } else if !nodesDown.isEmpty {
            after = try scenario(loaded.model, question, path, down: nodesDown)
        }
        var loads: LoadSimulation?
        if load {
            let settings = LoadSimulation.Settings(loaded.configuration, down: nodesDown, use: use)
            let found = Terminal.during("letting loads settle") { progress in
                LoadSimulation(asking.clients, before, settings, progress: progress)
            }
            after = before.with(down: nodesDown, shares: found.settled.shares)
            loads = found
        }
        let simulation = Terminal.during("simulating") { progress in
            Simulation(asking.clients, before: before, after: after, progress: progress)
        }
        var report = report(simulation, before, others: asking.others)
        report.load = loads.map { SimulateReport.Load($0, use: use) }
        if let svg { try write(simulation, after ?? before, report, to: svg) }
        output.write(report, text: report.text)
    }

    // MARK: - What is asked

    private struct Question {
        let name: DomainName?
        let family: IPFamily
    }

    var nodesDown: Set<String> { Set((down ?? "").split(separator: ",").map(String.init)) }

    private func question() -> Question {
        Question(name: name.flatMap { try? DomainName($0) }, family: type.uppercased() == "A" ? .v4 : .v6)
    }

    private func asking(_ scenario: Scenario) throws(ControlFailure) -> (clients: Clients, others: Int?) {
        guard let log else {
            return (.addressSpace(clients.flatMap(IPFamily.init(word:)) ?? scenario.family), nil)
        }
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else {
            throw ControlFailure(
                .invalid, "\(log) cannot be read as UTF-8 text", remedy: "check that it exists and may be read")
        }
        let queries: QueryLog
        do throws(QueryLog.Problem) {
            let asked = question().name ?? scenario.model.tailored[scenario.name].name
            queries = try QueryLog(text, name: asked, family: scenario.family)
        } catch { throw ControlFailure(.invalid, "\(log):\(error.line): \(error.text)") }
        guard !queries.groups.isEmpty else {
            throw ControlFailure(
                .invalid, "\(log) has no query for the name and type: \(queries.others) for others",
                remedy: "give --name and --type")
        }
        return (.groups(queries.groups), queries.others)
    }

    private func load(
        _ path: String, _ slots: inout SlotTable, earlier: LoadedModel? = nil
    ) throws(ControlFailure) -> LoadedModel {
        var next = slots
        let result = Terminal.during("reading \(path) …") { () -> Result<LoadedModel, LoadProblem> in
            Result { () throws(LoadProblem) in
                guard let earlier else {
                    return try ModelCompiler.compile(configuration: path, epoch: 1, slots: &next)
                }
                let configuration: ServerConfiguration
                do throws(ConfigurationError) { configuration = try ServerConfiguration.load(path: path) } catch {
                    throw LoadProblem(error.problems.map { "\($0)" })
                }
                // The database is the same most of the time. A zone's version of before is not what was asked for.
                let loaded = try ModelCompiler.compile(configuration, epoch: 2, slots: &next, earlier: earlier)
                guard loaded.problems.isEmpty else { throw LoadProblem(loaded.problems) }
                return loaded
            }
        }
        slots = next
        do throws(LoadProblem) { return try result.get() } catch {
            throw ControlFailure(
                .invalid, "\(path) cannot be served:\n  \(error.problems.joined(separator: "\n  "))",
                remedy: "`nearcast check \(path)` shows the same, with warnings")
        }
    }

    private func scenario(
        _ model: ServingModel, _ question: Question, _ path: String, down: Set<String> = []
    ) throws(ControlFailure) -> Scenario {
        let match = question.name.flatMap { SteeringResolver(model: model, words: NodeWords()).match($0) }
        let index = question.name == nil ? (model.tailored.isEmpty ? nil : 0) : match?.addresses
        guard let index else {
            let what =
                question.name.map { "\($0) is not a tailored name with addresses" }
                ?? "there is no tailored name with addresses"
            throw ControlFailure(
                .notFound, "\(what) in \(path)", remedy: "see tailored in the configuration")
        }
        let unknown = down.subtracting(model.steering.nodes.map(\.id)).sorted(by: NaturalOrder.precedes)
        guard unknown.isEmpty else {
            throw ControlFailure(
                .notFound, "--down names \(unknown.joined(separator: ", ")), which \(path) does not have",
                remedy:
                    "its nodes are \(model.steering.nodes.map(\.id).sorted(by: NaturalOrder.precedes).joined(separator: ", "))"
            )
        }
        return Scenario(model, name: index, nameHash: match?.nameHash, family: question.family, down: down)
    }
}

extension IPFamily {
    /// `v4` or `v6`.
    fileprivate init?(word: String) {
        switch word {
        case "v4": self = .v4
        case "v6": self = .v6
        default: return nil
        }
    }
}

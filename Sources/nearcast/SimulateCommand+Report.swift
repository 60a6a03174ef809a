import CommandLineText
import ControlFailures
import FoundationEssentials
import IPNetworks
import Resolution
import Simulation
import Steering
import VisibleText

extension SimulateCommand {
    /// The result, for text and for JSON.
    func report(_ simulation: Simulation, _ scenario: Scenario, others: Int?) -> SimulateReport {
        let count = simulation.before.weight
        let unit: SimulateReport.Clients.Unit = log != nil ? .queries : isV4 ? .addresses : .networks
        var moves = simulation.moves.map {
            SimulateReport.Move(from: $0.key.from, to: $0.key.to, share: part($0.value, of: count))
        }
        moves.sort {
            ($1.share, $0.from ?? "", $0.to ?? "") < ($0.share, $1.from ?? "", $1.to ?? "")
        }
        return SimulateReport(
            configuration: path, against: against, down: nodesDown.sorted(by: NaturalOrder.precedes),
            name: "\(scenario.model.tailored[scenario.name].name)", type: type.uppercased(),
            clients: SimulateReport.Clients(unit: unit, count: count, groups: simulation.groups, others: others),
            before: report(simulation.before), after: simulation.after.map(report),
            moved: simulation.after == nil ? nil : part(simulation.moved, of: count), moves: moves)
    }

    private var isV4: Bool { clients.map { $0 == "v4" } ?? (type.uppercased() == "A") }

    private func report(_ spread: Spread) -> SimulateReport.Spread {
        let nodes = spread.nodes.map { id, share in
            SimulateReport.Node(
                node: id, share: part(share.weight, of: spread.weight), distance: report(share.distances))
        }
        return SimulateReport.Spread(
            nodes: nodes.sorted {
                $0.share != $1.share ? $0.share > $1.share : NaturalOrder.precedes($0.node, $1.node)
            },
            unanswered: part(spread.unanswered, of: spread.weight),
            unlocated: part(spread.unlocated, of: spread.weight), distance: report(spread.distances))
    }

    private func report(_ distances: Distances) -> SimulateReport.Distance {
        SimulateReport.Distance(
            mean: distances.mean, median: distances.percentile(0.5), p95: distances.percentile(0.95))
    }

    private func part(_ weight: UInt64, of all: UInt64) -> Double {
        all == 0 ? 0 : Double(weight) / Double(all)
    }

    /// Writes the map: where each client goes, after the change where there is one.
    func write(
        _ simulation: Simulation, _ scenario: Scenario, _ report: SimulateReport, to path: String
    ) throws(ControlFailure) {
        let spread = report.after ?? report.before
        let coordinates = Dictionary(
            uniqueKeysWithValues: scenario.model.steering.nodes.filter(\.isLocated).map { ($0.id, $0.coordinates) })
        let serving = spread.nodes.map { ($0.node, Quantities.part($0.share)) }
        let idle = coordinates.keys.filter { id in !spread.nodes.contains { $0.node == id } }
        let unused = idle.sorted(by: NaturalOrder.precedes).map {
            ($0, "no clients")
        }
        let marks = (serving + unused).compactMap { id, note in
            coordinates[id].map { WorldMap.Mark(id: id, coordinates: $0, note: note) }
        }
        let map = WorldMap(simulation.picture, title: "\(report.name) \(report.type): clients by node", marks: marks)
        do { try map.svg.write(toFile: path, atomically: true, encoding: .utf8) } catch {
            throw ControlFailure(
                .invalid, "the map cannot be written to \(path)",
                remedy: "check that its folder exists and may be written")
        }
    }
}

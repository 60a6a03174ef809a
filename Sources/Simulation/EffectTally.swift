import Steering

/// Adds up what the clients of a group of names get, before and after.
struct EffectTally {
    private struct Side {
        let nodes: NodePoints
        var weights: [ClientOutcome: UInt64] = [:]
        var distances = Distances()

        mutating func add(_ answer: Answer, weight: UInt64) {
            weights[answer.outcome, default: 0] += weight
            guard case .node(let slot) = answer.outcome, let position = answer.position, let node = nodes.points[slot]
            else { return }
            distances.add(
                GreatCircle.metres(squaredChord: position.squaredChord(to: node)) / 1000, weight: weight)
        }

        /// The id of a node, or an address.
        func text(_ outcome: ClientOutcome) -> String? {
            switch outcome {
            case .node(let slot): nodes.ids[slot]
            case .address(let address): "\(address)"
            case .nothing: nil
            }
        }

        var side: ChangeEffect.Side {
            var side = ChangeEffect.Side()
            (side.meanKilometres, side.p95Kilometres) = (distances.mean, distances.percentile(0.95))
            for (outcome, weight) in weights {
                if let text = text(outcome) { side.nodes[text] = weight } else { side.unanswered += weight }
            }
            return side
        }
    }

    private struct Move: Hashable {
        let from: ClientOutcome
        let to: ClientOutcome
    }

    private var before: Side
    private var after: Side
    private var moves: [Move: UInt64] = [:]
    private var clients: UInt64 = 0

    init(_ before: NodePoints, _ after: NodePoints) {
        (self.before, self.after) = (Side(nodes: before), Side(nodes: after))
    }

    /// What clients get, and where they are.
    typealias Answer = (outcome: ClientOutcome, position: SpherePoint?)

    mutating func add(_ from: Answer, _ to: Answer, weight: UInt64) {
        clients += weight
        before.add(from, weight: weight)
        after.add(to, weight: weight)
        if from.outcome != to.outcome { moves[Move(from: from.outcome, to: to.outcome), default: 0] += weight }
    }

    func part(_ group: TouchedNames.Group) -> ChangeEffect.Part {
        var part = ChangeEffect.Part(names: group.names, family: group.family)
        (part.before, part.after, part.clients) = (before.side, after.side, clients)
        for (move, weight) in moves {
            let key = Simulation.Move(from: before.text(move.from), to: after.text(move.to))
            // A node is known by its id: clients of one that was replaced under its id have not moved.
            if key.from != key.to { part.moves[key, default: 0] += weight }
        }
        return part
    }
}

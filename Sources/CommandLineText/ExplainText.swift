public import ControlAPI

extension ExplainReport {
    /// For people: who asks, who could answer, what is answered, and by whom.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("question", "\(name) \(type)"),
                ("client", client),
                ("place", clientPlace.text),
                ("labels", clientPlace.labels.map { $0.joined(separator: ", ") }),
                ("network", clientPlace.network),
                ("known by", sourceText),
                ("view", view),
                ("zone", access.map { "\($0.zone), \($0.reason)" }),
                ("decided by", "pool \(pool), policy \(policy)"),
            ]))
        for choice in choices { report.add(choice.heading, choice.candidateTable) }
        report.add(
            "Answer",
            .labelled([
                ("response", responseCode),
                ("records", answers.isEmpty ? "none" : answers.joined(separator: ", ")),
                ("TTL", ttl.map { "\($0) s" }),
                ("scope", scopeText),
                ("answered by", pathText),
                ("model", "epoch \(epoch), digest \(digest)"),
            ]))
        return report.text
    }

    private var sourceText: String {
        switch source {
        case .ecs: "the client subnet in the query (ECS)"
        case .address: "the sender's address"
        }
    }

    private var scopeText: String {
        switch (source, scope) {
        case (.address, _): "none: no client subnet decides"
        case (.ecs, 0): "/0: the same for every client"
        case (.ecs, _): "/\(scope)"
        }
    }

    private var pathText: String {
        pathReason.map { "\(path.rawValue): \($0)" } ?? path.rawValue
    }
}

extension ChoiceReport {
    fileprivate var heading: String {
        let by = strategy.map { " by \($0)" } ?? ""
        let fallback = isFallback ? ", of the pool that stands in" : ""
        let relaxed = relaxed.map { "; \($0) given up, since it left nobody" } ?? ""
        let minimums = minimums.map { "; " + $0.joined(separator: ", ") } ?? ""
        return "Candidates for \(subject)\(by)\(fallback)\(relaxed)\(minimums): \(outcome)"
    }

    fileprivate var candidateTable: TextTable {
        var table = TextTable([
            .left(""), .left("node"), .left("region"), .right("distance"), .right("bias"), .right("latency"),
            .right("score"), .right("tier"), .right("band"), .right("weight"), .left("state"), .right("share"),
            .right("draw"), .left("in or out"),
        ])
        for candidate in candidates { table.add(candidate.cells) }
        return table
    }
}

extension CandidateReport {
    fileprivate var cells: [TextTable.Cell] {
        let style: TextStyle = chosen ? .strong : eligible ? .plain : .faint
        func cell(_ value: (some CustomStringConvertible)?) -> TextTable.Cell {
            .init(value.map(\.description) ?? "", style)
        }
        return [
            .init(chosen ? "→" : "", .good), cell(node), cell(region), cell(distanceKm.map(Quantities.kilometres)),
            cell(bias.map { "\($0) %" }), cell(milliseconds.map { "\($0) ms" }), cell(score.map(Quantities.score)),
            cell(tier), cell(band), cell(weight), .init(state.rawValue, state.style), cell(Quantities.share(share)),
            cell(draw), cell(reason),
        ]
    }
}

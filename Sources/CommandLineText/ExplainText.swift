public import ManagementTypes

extension ExplainReport {
    /// For people: the client, the candidates, the answer, and the path that gives it.
    ///
    /// - Parameter allCandidates: each node of a pool, not only the twelve that matter most.
    public func text(_ palette: Palette, allCandidates: Bool = false) -> String {
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
        for choice in choices {
            let shown = allCandidates ? choice.candidates : choice.foremost
            let hidden = choice.candidates.count - shown.count
            report.add(
                choice.heading, ChoiceReport.table(of: shown),
                note: hidden > 0 ? "… \(hidden) more: --all shows them" : nil)
        }
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
        case (.address, _): "none: the query has no client subnet"
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
        let fallback = isFallback ? ", of the fallback pool" : ""
        let relaxed = relaxed.map { "; ignored \($0), which left no node" } ?? ""
        let minimums = minimums.map { "; " + $0.joined(separator: ", ") } ?? ""
        return "Candidates for \(subject)\(by)\(fallback)\(relaxed)\(minimums): \(outcome)"
    }

    /// Of a large pool: the nodes in the answer, and the first others in the order in which they are tried.
    fileprivate var foremost: [CandidateReport] {
        var room = 12 - candidates.count(where: \.chosen)
        return candidates.filter { candidate in
            if !candidate.chosen { room -= 1 }
            return candidate.chosen || room >= 0
        }
    }

    fileprivate static func table(of candidates: [CandidateReport]) -> TextTable {
        var table = TextTable([
            .left(""), .left("node"), .left("region"), .right("distance"), .right("bias"), .right("latency"),
            .right("score"), .right("tier"), .right("band"), .right("weight"), .left("state"), .right("share"),
            .right("draw"), .left("why"),
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

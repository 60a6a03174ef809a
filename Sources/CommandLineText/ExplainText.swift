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
                ("network", clientPlace.network),
                ("known by", sourceText),
            ]))
        if candidates.isEmpty {
            report.add("No candidates: the answer is the same for every client")
        } else {
            report.add("Candidates, in the order in which they are tried", candidateTable)
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
        case (.address, _): "none: the query carries no client subnet"
        case (.ecs, 0): "/0: the same for every client"
        case (.ecs, _): "/\(scope)"
        }
    }

    private var pathText: String {
        pathReason.map { "\(path.rawValue): \($0)" } ?? path.rawValue
    }

    private var candidateTable: TextTable {
        var table = TextTable([
            .left(""), .left("node"), .left("city"), .left("region"), .right("distance"), .right("band"),
            .right("weight"), .left("state"), .right("share"), .left("in or out"),
        ])
        for candidate in candidates {
            let style: TextStyle = candidate.chosen ? .strong : candidate.eligible ? .plain : .faint
            table.add([
                .init(candidate.chosen ? "→" : "", .good), .init(candidate.node, style),
                .init(candidate.city ?? "", style), .init(candidate.region ?? "", style),
                .init(candidate.distanceKm.map(Quantities.kilometres) ?? "", style),
                .init(candidate.band.map(String.init) ?? "", style), .init(String(candidate.weight), style),
                .init(candidate.state.rawValue, candidate.state.style),
                .init(Quantities.share(candidate.share), style), .init(candidate.reason, style),
            ])
        }
        return table
    }
}

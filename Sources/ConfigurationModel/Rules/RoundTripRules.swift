/// `rtt`.
struct RoundTripRules: EntryRules {
    let context: RuleContext

    /// Equal to `NC_RTT_PORTS` of the program.
    private static let maximumRoundTripPorts = 16

    /// The outer `nil` only after a problem, the inner one if the key is absent.
    func roundTrips(
        _ declaration: ConfigurationDeclaration, _ root: Scope, nodes: KnownIdentifiers, state: PathSetting?
    ) -> RoundTripSettings?? {
        guard !declaration.roundTrips.isAbsent else { return .some(nil) }
        guard let located = declaration.roundTrips.located else { return nil }
        let (declared, scope) = (located.value, root.nested("rtt", located))
        let id = required(declared.node, "node", in: scope, example: "node: fra1, the node that this machine is")
            .flatMap { reference($0, from: "rtt", to: .nodes, known: nodes) }
        let ports = ports(declared, scope)
        let file = path(declared.file, "file", in: scope, default: (state?.path ?? "") + "/rtt.csv")
        let samples = integer(
            declared.minimumSamples, scope.name("minimum_samples"), .minimumSamples, default: 20)
        let margin = integer(declared.margin, scope.name("margin"), .margin, default: 20)
        let every = duration(declared.every, scope.name("every"), .every, default: 600_000)
        guard let id, let ports, let file, let samples, let margin, let every else { return nil }
        return RoundTripSettings(
            node: id, ports: ports, file: file, minimumSamples: samples, marginPercent: margin,
            everyMilliseconds: every, mark: scope.location)
    }

    /// Rejects a file for learned times that is also read for another purpose: it would be overwritten.
    func requireOwnFile(_ roundTrips: RoundTripSettings?, _ others: [String]) {
        guard let file = roundTrips?.file, file.path == context.absolute(context.document) || others.contains(file.path)
        else { return }
        report(
            file.mark,
            "rtt.file is \(Spelling.quoted(file.path)), which this configuration also reads for another purpose, expected a file "
                + "of its own",
            remedy: "name another, or leave it out")
    }

    private func ports(_ declared: RoundTripsDeclaration, _ scope: Scope) -> [UInt16]? {
        _ = required(declared.ports, "ports", in: scope, example: ListForm.ports.example)
        guard let elements = list(declared.ports, "ports", .ports, in: scope) else { return nil }
        let (name, limit) = (scope.name("ports"), Self.maximumRoundTripPorts)
        guard elements.count <= limit else {
            report(
                elements[limit].location, "\(name) has \(elements.count) ports, expected at most \(limit)",
                remedy: "remove some")
            return nil
        }
        var ports: [UInt16] = []
        for element in elements {
            guard let port = integer(element, "an entry of \(name)", .port) else { return nil }
            guard !ports.contains(UInt16(port)) else {
                report(element.location, "\(name) has \(port) twice", remedy: "remove one")
                return nil
            }
            ports.append(UInt16(port))
        }
        return ports
    }
}

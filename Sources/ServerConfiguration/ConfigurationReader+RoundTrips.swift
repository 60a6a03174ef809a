import Yams

/// `rtt`.
extension ConfigurationReader {
    private static let roundTripKeys = ["node", "ports", "file", "minimum_samples", "margin", "every"]
    /// As many as `NC_RTT_PORTS` of the program.
    private static let maximumRoundTripPorts = 16

    /// Reads `rtt`; the outer `nil` only after a problem, the inner when it is absent.
    mutating func roundTrips(_ root: Fields, nodes: KnownIdentifiers, state: PathSetting?) -> RoundTripSettings?? {
        guard let node = root["rtt"] else { return .some(nil) }
        guard let fields = fields(node, name: "rtt", prefix: "rtt.", owner: "", known: Self.roundTripKeys)
        else { return nil }
        let id = required("node", in: fields, example: "node: fra1, the node that this machine is")
            .flatMap { reference($0, from: "rtt", to: Self.nodeSection, known: nodes) }
        let ports = roundTripPorts(fields)
        let file = path("file", in: fields, default: (state?.path ?? "") + "/rtt.csv")
        let samples = fields["minimum_samples"].map {
            integer($0, name: fields.name("minimum_samples"), in: 1...1_000_000)
        }
        let margin = fields["margin"].map { integer($0, name: fields.name("margin"), in: 0...1_000, unit: "percent") }
        let every = fields["every"].map { duration($0, name: fields.name("every"), in: 1_000...86_400_000) }
        guard let id, let ports, let file, let samples = samples ?? 20, let margin = margin ?? 20,
            let every = every ?? 600_000
        else { return nil }
        return RoundTripSettings(
            node: id, ports: ports, file: file, minimumSamples: samples, marginPercent: margin,
            everyMilliseconds: every,
            mark: fields.mark)
    }

    /// Refuses a file of learned times, which is written, that is read for something else.
    mutating func requireOwn(_ file: PathSetting, _ others: [String]) {
        guard file.path == absolute(self.file) || others.contains(file.path) else { return }
        report(
            file.mark,
            "rtt.file is \(Spelling.quoted(file.path)), which this configuration reads for something else, expected a file "
                + "of its own: name another, or leave it out")
    }

    private mutating func roundTripPorts(_ fields: Fields) -> [UInt16]? {
        let name = fields.name("ports")
        guard let node = required("ports", in: fields, example: "ports: [443]"),
            let elements = list(node, name: name, of: "port", example: "ports: [443]")
        else { return nil }
        guard elements.count <= Self.maximumRoundTripPorts else {
            report(
                elements[Self.maximumRoundTripPorts].place,
                "\(name) has \(elements.count) ports, expected at most \(Self.maximumRoundTripPorts): remove some")
            return nil
        }
        var ports: [UInt16] = []
        for element in elements {
            guard let port = integer(element, name: "an entry of \(name)", in: 1...65_535) else { return nil }
            guard !ports.contains(UInt16(port)) else {
                report(element.place, "\(name) has \(port) twice: remove one")
                return nil
            }
            ports.append(UInt16(port))
        }
        return ports
    }
}

import Yams

/// What strategies of `policies` have of their own.
extension ConfigurationReader {
    mutating func scoring(_ fields: Fields) -> PolicySettings.Scoring? {
        let sameRegion = fields["same_region"].map { boolean($0, name: fields.name("same_region")) } ?? true
        let factor = fields["bias_factor"].map { thousandths($0, name: fields.name("bias_factor")) } ?? 800
        guard let sameRegion, let factor else { return nil }
        return PolicySettings.Scoring(prefersSameRegion: sameRegion, biasThousandths: factor)
    }

    /// A number from 0 to 1 with three decimals at most, without floating point.
    private mutating func thousandths(_ node: Node, name: String) -> Int? {
        let expected = "a number from 0 to 1 with at most 3 decimals"
        guard let text = number(node, name: name, expected: expected) else { return nil }
        if !text.hasPrefix("-"), let millionths = try? Microdegrees.parse(text, limit: 1),
            text.drop(while: { $0 != "." }).count <= 4
        {
            return Int(millionths) / 1000
        }
        report(node.place, "\(name) is \(node.kind), expected \(expected): write it like 0.8")
        return nil
    }

    /// `latency` of strategy `latency`, which has nothing to rank by without.
    mutating func latency(_ fields: Fields, _ strategy: PolicySettings.Strategy?) -> [PathSetting] {
        guard strategy == .latency, let node = required("latency", in: fields, example: "latency: latency.csv")
        else { return [] }
        let name = fields.name("latency")
        guard node.sequence != nil else { return path("latency", in: fields, default: "").map { [$0] } ?? [] }
        let elements = list(node, name: name, of: "file", example: "latency: [latency.csv]") ?? []
        guard elements.count <= Self.maximumLatencyFiles else {
            report(
                elements[Self.maximumLatencyFiles].place,
                "\(name) has \(elements.count) files, expected at most \(Self.maximumLatencyFiles): join some")
            return []
        }
        var settings: [PathSetting] = []
        for element in elements {
            guard let text = text(element, name: "an entry of \(name)", expected: "a path") else { continue }
            let setting = PathSetting(path: absolute(text), mark: element.place)
            guard !settings.contains(where: { $0.path == setting.path }) else {
                report(element.place, "\(name) has \(Spelling.quoted(text)) twice: remove one")
                continue
            }
            settings.append(setting)
        }
        return settings
    }

    private static let maximumLatencyFiles = 64
}

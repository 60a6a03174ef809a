import ControlFailures
import Hummingbird
import HummingbirdCore
import VisibleText

/// The query of a request, checked against what its route takes.
struct Query: Sendable {
    private var texts: [String: [String]] = [:]
    private var numbers: [String: Int] = [:]
    private var flags: [String: Bool] = [:]

    /// - Throws: `invalid` if a parameter is unknown, missing or out of range. One that was mistyped must not be taken
    ///   for one that was left out.
    init(_ parameters: [QueryParameter], _ uri: URI) throws(ControlFailure) {
        let given = uri.queryParameters
        let known = parameters.map(\.name)
        if let other = given.map({ String($0.key) }).filter({ !known.contains($0) }).min() {
            throw ControlFailure(
                .invalid, "there is no parameter \(VisibleText.quoted(other))",
                remedy: known.isEmpty ? "leave it out" : "the parameters are \(known.joined(separator: ", "))")
        }
        for parameter in parameters {
            let values = given[values: Substring(parameter.name)].map { String($0) }
            guard !parameter.isRequired || values.first?.isEmpty == false else {
                throw ControlFailure(
                    .invalid, "the parameter \(parameter.name) is missing",
                    remedy: "add ?\(parameter.name)=… to the address")
            }
            switch parameter.kind {
            case .text, .texts: texts[parameter.name] = values
            case .number(let range, let standard):
                numbers[parameter.name] = try Self.number(parameter.name, values.first, range) ?? standard
            case .flag: flags[parameter.name] = try Self.flag(parameter.name, values.first)
            }
        }
    }

    private static func number(
        _ name: String, _ text: String?, _ range: ClosedRange<Int>
    ) throws(ControlFailure) -> Int? {
        guard let text else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw ControlFailure(
                .invalid, "\(name) is \(VisibleText.cut(text))",
                remedy: "give a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func flag(_ name: String, _ text: String?) throws(ControlFailure) -> Bool {
        switch text {
        case nil, "false": return false
        case "true": return true
        case let text?:
            throw ControlFailure(.invalid, "\(name) is \(VisibleText.cut(text))", remedy: "give true or false")
        }
    }

    func text(_ name: String) -> String? { texts[name]?.first }

    func texts(_ name: String) -> [String] { texts[name] ?? [] }

    func flag(_ name: String) -> Bool { flags[name] ?? false }

    /// `nil` if it was not given and has no default.
    func givenNumber(_ name: String) -> Int? { numbers[name] }

    /// A text that the route requires.
    func required(_ name: String) throws(ControlFailure) -> String {
        guard let text = text(name) else { throw Self.undeclared(name) }
        return text
    }

    /// A number that has a default.
    func number(_ name: String) throws(ControlFailure) -> Int {
        guard let number = numbers[name] else { throw Self.undeclared(name) }
        return number
    }

    private static func undeclared(_ name: String) -> ControlFailure {
        ControlFailure(.internal, "the route does not promise the parameter \(name)")
    }
}

/// A group of rules about one subject. It turns a part of the declaration into settings and reports its problems.
///
/// Every step continues after a problem where that makes sense, so that one run reports everything. A step returns
/// `nil` for what it could not interpret. References are checked against the declared names, valid or not, so that one
/// mistake is reported once.
protocol ValueRules {
    var context: RuleContext { get }
}

extension ValueRules {
    func report(_ location: DocumentLocation, _ message: String, remedy: String) {
        report(ConfigurationError.Problem(at: location, message, remedy: remedy))
    }

    func report(_ problem: ConfigurationError.Problem) { context.report(problem) }

    // MARK: - Keys

    /// The value of a required key. `example` shows how to write it.
    func required<Value>(
        _ declared: Declared<Value>, _ key: String, in scope: Scope, example: String
    ) -> Located<Value>? {
        if declared.isAbsent { report(scope.location, "\(scope.name(key)) is missing", remedy: "add \(example)") }
        return declared.located
    }

    // MARK: - Lists

    /// The readable elements. `nil` if the list is absent, empty or unreadable.
    func list<Element>(
        _ declared: DeclaredList<Element>, _ key: String, _ form: ListForm, in scope: Scope
    ) -> [Located<Element>]? {
        guard let list = declared.located else { return nil }
        requireElements(list.value, at: list.location, scope.name(key), form)
        return list.value.isEmpty ? nil : list.value.compactMap(\.located)
    }

    func requireElements<Element>(
        _ elements: [Element], at location: DocumentLocation, _ name: @autoclosure Words, _ form: ListForm
    ) {
        guard elements.isEmpty else { return }
        report(
            location, "\(name()) is an empty list, expected at least one \(form.element)",
            remedy: "write \(form.example)")
    }

    /// Reports the first element beyond the limit. All are read nevertheless, to report the mistakes in them.
    func limit<Element>(
        _ elements: [Located<Element>], to limit: Int, _ name: @autoclosure Words, of word: String
    ) {
        guard elements.count > limit else { return }
        report(
            elements[limit].location, "\(name()) has \(elements.count) \(word), expected at most \(limit)",
            remedy: "remove \(elements.count - limit)")
    }

    // MARK: - Values

    /// A single line of text that is not empty. `nil` if it is absent or was reported.
    func line(_ declared: Declared<String>, _ name: @autoclosure Words, _ expected: @autoclosure Words)
        -> Located<String>?
    {
        declared.located.flatMap { line($0, name(), expected()) }
    }

    func line(_ text: Located<String>, _ name: @autoclosure Words, _ expected: @autoclosure Words) -> Located<
        String
    >? {
        guard !text.value.isEmpty else {
            report(text.location, "\(name()) is empty, expected \(expected())", remedy: "give it a value")
            return nil
        }
        guard text.value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            report(
                text.location, "\(name()) is \(text.quoted), expected \(expected()) on one line",
                remedy: "remove the control characters")
            return nil
        }
        return text
    }

    /// A number in its range. `nil` if it is absent or was reported.
    func integer(_ declared: Declared<Int>, _ name: @autoclosure Words, _ form: WholeNumber) -> Int? {
        declared.located.flatMap { integer($0, name(), form) }
    }

    func integer(_ number: Located<Int>, _ name: @autoclosure Words, _ form: WholeNumber) -> Int? {
        guard form.range.contains(number.value) else {
            report(number.location, "\(name()) is \"\(number.value)\", expected \(form.expected)", remedy: "change it")
            return nil
        }
        return number.value
    }

    /// A number in its range, or `fallback` if it is absent. `nil` if it was reported.
    func integer(
        _ declared: Declared<Int>, _ name: @autoclosure Words, _ form: WholeNumber, default fallback: Int
    ) -> Int? {
        declared.isAbsent ? fallback : integer(declared, name(), form)
    }

    /// A duration in its range, in milliseconds. `nil` if it is absent or was reported.
    func duration(_ declared: Declared<String>, _ name: @autoclosure Words, _ form: TimeSpan) -> Int? {
        guard let text = line(declared, name(), form.expected) else { return nil }
        guard let value = TimeSpan.milliseconds(text.value) else {
            let isNumber = text.value.allSatisfy { $0.isASCII && $0.isNumber }
            report(
                text.location, "\(name()) is \(text.quoted), expected \(form.expected)",
                remedy: isNumber ? "write \(text.value)s for seconds" : "write it like 500ms, 10s, 5m, 24h or 7d")
            return nil
        }
        guard form.range.contains(value) else {
            report(
                text.location, "\(name()) is \(text.quoted), expected \(form.expected)", remedy: "change it")
            return nil
        }
        return value
    }

    /// The same, or `fallback` if it is absent.
    func duration(
        _ declared: Declared<String>, _ name: @autoclosure Words, _ form: TimeSpan, default fallback: Int
    ) -> Int? {
        declared.isAbsent ? fallback : duration(declared, name(), form)
    }

    /// A word of an enumeration. `nil` if it is absent or was reported.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ declared: Declared<String>, _ name: @autoclosure Words, of type: Choice.Type = Choice.self
    ) -> Choice? {
        let expected = Expected.oneOf(type)
        guard let text = line(declared, name(), expected) else { return nil }
        if let choice = Choice(rawValue: text.value) { return choice }
        let suggestion = Spelling.nearest(to: text.value, among: Choice.allCases.map(\.rawValue))
        report(
            text.location, "\(name()) is \(text.quoted), expected \(expected)",
            remedy: suggestion.map { "did you mean \($0)?" } ?? "use \(expected)")
        return nil
    }

    /// The same, or `fallback` if it is absent.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ declared: Declared<String>, _ name: @autoclosure Words, default fallback: Choice
    ) -> Choice? {
        declared.isAbsent ? fallback : choice(declared, name())
    }

    // MARK: - Paths

    /// A path, or `fallback` if it is absent. `nil` if it was reported.
    func path(
        _ declared: Declared<String>, _ key: String, in scope: Scope, default fallback: String
    ) -> PathSetting? {
        if declared.isAbsent { return PathSetting(path: context.absolute(fallback), mark: scope.location) }
        return optionalPath(declared, key, in: scope)
    }

    /// A path. `nil` if it is absent or was reported.
    func optionalPath(_ declared: Declared<String>, _ key: String, in scope: Scope) -> PathSetting? {
        declared.located.flatMap { path($0, scope.name(key)) }
    }

    /// A path. `nil` if it was reported.
    func path(_ text: Located<String>, _ name: @autoclosure Words) -> PathSetting? {
        guard let line = line(text, name(), Expected.path) else { return nil }
        do throws(ConfigurationError.Problem) { return try context.path(line, name) } catch {
            report(error)
            return nil
        }
    }

    /// - Parameter file: the file name in the example.
    func requiredPath(
        _ declared: Declared<String>, _ key: String, in scope: Scope, example file: String
    ) -> PathSetting? {
        _ = required(declared, key, in: scope, example: "\(key): \(file)")
        return optionalPath(declared, key, in: scope)
    }
}

extension Located<String> {
    /// For messages.
    var quoted: String { Spelling.quoted(value) }
}

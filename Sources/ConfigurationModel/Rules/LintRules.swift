import Lints

/// `lint`.
struct LintRules: ValueRules {
    let context: RuleContext

    /// The kinds of warnings that are switched off.
    func off(_ declaration: ConfigurationDeclaration, _ root: Scope) -> Set<Lint> {
        guard let located = declaration.lint.located else { return [] }
        let scope = root.nested("lint", located)
        _ = required(located.value.off, "off", in: scope, example: ListForm.lints.example)
        let name = scope.name("off")
        var off: Set<Lint> = []
        for element in list(located.value.off, "off", .lints, in: scope) ?? [] {
            guard let line = line(element, "an entry of \(name)", Expected.lint) else { continue }
            guard let lint = Lint(rawValue: line.value) else {
                let suggestion = Spelling.nearest(to: line.value, among: Lint.ids)
                report(
                    line.location, "\(name) has \(line.quoted), expected \(Expected.lint)",
                    remedy: suggestion.map { "did you mean \($0)?" } ?? "use an id that `nearcast check` prints")
                continue
            }
            off.insert(lint)
        }
        return off
    }
}

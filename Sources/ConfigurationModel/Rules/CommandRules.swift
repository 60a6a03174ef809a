import Health

/// `run` and `user`: programs of the operator's.
struct CommandRules: ValueRules {
    let context: RuleContext

    /// `nil` only after a problem.
    func command(
        run declared: DeclaredList<String>, user: Declared<String>, _ scope: Scope
    ) -> CommandProbe? {
        guard !declared.isAbsent else {
            report(
                scope.location, "\(scope.owner) has no run",
                remedy: "add run: [/usr/local/bin/check-node, --quick]")
            return nil
        }
        guard let elements = list(declared, "run", .run, in: scope) else { return nil }
        var arguments: [String] = []
        for argument in elements {
            if argument.value.utf8.contains(0) || arguments.isEmpty && !argument.value.hasPrefix("/") {
                report(
                    argument.location,
                    "an entry of \(scope.name("run")) is \(Spelling.quoted(argument.value)), expected "
                        + Expected.program,
                    remedy: "write the absolute path of the program first, then each argument")
                return nil
            }
            arguments.append(argument.value)
        }
        var account: String?
        if !user.isAbsent {
            guard let line = line(user, scope.name("user"), Expected.text) else { return nil }
            account = line.value
        }
        return arguments.isEmpty ? nil : CommandProbe(arguments: arguments, user: account)
    }
}

/// `listen` and `control`.
struct ServerRules: EndpointRules {
    let context: RuleContext

    func listen(_ declaration: ConfigurationDeclaration, _ root: Scope) -> [ListenSettings] {
        _ = required(declaration.listen, "listen", in: root, example: ListForm.listen.example)
        return endpoints(declaration.listen, .listen, in: root)
    }

    func control(_ declaration: ConfigurationDeclaration, _ root: Scope) -> PathSetting? {
        let fallback = "/run/nearcast/control.sock"
        guard let setting = path(declaration.control, "control", in: root, default: fallback) else { return nil }
        // A socket address has room for 107 bytes and a terminator (unix(7)).
        guard setting.path.utf8.count <= 107 else {
            report(
                setting.mark, "control is a path of \(setting.path.utf8.count) bytes, expected at most 107",
                remedy: "choose a shorter path")
            return nil
        }
        return setting
    }
}

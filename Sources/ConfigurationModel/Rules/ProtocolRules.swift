/// `identity`, `cookies` and `rate_limit`.
struct ProtocolRules: NetworkRules {
    let context: RuleContext

    func identity(_ declaration: ConfigurationDeclaration, _ root: Scope) -> IdentitySettings? {
        guard !declaration.identity.isAbsent else {
            return IdentitySettings(nsid: nil, hostname: nil, version: nil, tellsDigest: false)
        }
        guard let located = declaration.identity.located else { return nil }
        let (declared, scope) = (located.value, root.nested("identity", located))
        return IdentitySettings(
            nsid: nsid(declared.nsid, scope.name("nsid")),
            hostname: characterString(declared.hostname, scope.name("hostname")),
            version: characterString(declared.version, scope.name("version")),
            tellsDigest: declared.digest.value(or: false) ?? false)
    }

    /// Text, or bytes as `0x` and hexadecimal digits.
    private func nsid(_ declared: Declared<String>, _ name: String) -> [UInt8]? {
        guard let line = line(declared, name, Expected.nsid) else { return nil }
        let text = line.value
        let bytes = text.hasPrefix("0x") ? CookieSettings.hexadecimal(text.dropFirst(2)) : Array(text.utf8)
        guard let bytes, (1...128).contains(bytes.count) else {
            report(line.location, "\(name) is \(line.quoted), expected \(Expected.nsid)", remedy: "change it")
            return nil
        }
        return bytes
    }

    private func characterString(_ declared: Declared<String>, _ name: String) -> String? {
        guard let line = line(declared, name, Expected.characterString) else { return nil }
        guard line.value.utf8.count <= 255 else {
            report(
                line.location, "\(name) has \(line.value.utf8.count) bytes, expected \(Expected.characterString)",
                remedy: "shorten it")
            return nil
        }
        return line.value
    }

    func cookies(_ declaration: ConfigurationDeclaration, _ root: Scope) -> CookieSettings? {
        guard !declaration.cookies.isAbsent else {
            return CookieSettings(isEnabled: true, secrets: [], secretFile: nil, isRequired: false)
        }
        guard let located = declaration.cookies.located else { return nil }
        let (declared, scope) = (located.value, root.nested("cookies", located))
        let secrets = secrets(declared.secrets, scope)
        let file = optionalPath(declared.secretFile, "secret_file", in: scope)
        if let file = declared.secretFile.located, !declared.secrets.isAbsent {
            report(
                file.location, "cookies.secret_file and cookies.secrets are both given, expected one",
                remedy: "remove one")
        }
        guard let enabled = declared.enabled.value(or: true), let required = declared.require.value(or: false)
        else { return nil }
        return CookieSettings(isEnabled: enabled, secrets: secrets, secretFile: file, isRequired: required)
    }

    private func secrets(_ declared: DeclaredList<String>, _ scope: Scope) -> [[UInt8]] {
        guard let elements = list(declared, "secrets", .secrets, in: scope) else { return [] }
        let name = scope.name("secrets")
        limit(elements, to: CookieSettings.maximumSecrets, name, of: "entries")
        return elements.compactMap { element in
            if let secret = CookieSettings.secret(element.value) { return secret }
            // The text may be a secret with a typo, so a log must not repeat it.
            report(
                element.location, "an entry of \(name) has the wrong form, expected \(Expected.secret)",
                remedy: "make one with `openssl rand -hex 16`")
            return nil
        }
    }

    /// - Parameter fastPath: it applies limits too, and compares only some networks.
    func rateLimit(
        _ declaration: ConfigurationDeclaration, _ root: Scope, _ fastPath: FastPathSettings?
    ) -> RateLimitSettings {
        let standard = RateLimitSettings.byDefault
        guard let located = declaration.rateLimit.located else { return standard }
        let (declared, scope) = (located.value, root.nested("rate_limit", located))
        // Without a rate for answers the section must set one for errors. Otherwise one was forgotten.
        if declared.errorsPerSecond.isAbsent {
            _ = required(
                declared.responsesPerSecond, "responses_per_second", in: scope, example: "responses_per_second: 20")
        }
        let rate = integer(declared.responsesPerSecond, scope.name("responses_per_second"), .repliesPerSecond)
        let errors = integer(
            declared.errorsPerSecond, scope.name("errors_per_second"), .repliesPerSecond,
            default: standard.errorsPerSecond)
        let slip = integer(declared.slip, scope.name("slip"), .slip, default: standard.slip)
        let v4 = integer(
            declared.v4Prefix, scope.name("ipv4_prefix"), .v4PrefixLength, default: standard.v4PrefixLength)
        let v6 = integer(
            declared.v6Prefix, scope.name("ipv6_prefix"), .v6PrefixLength, default: standard.v6PrefixLength)
        let exempt = networks(declared.exempt, "exempt", in: scope)
        requireFastPathRoom(exempt, scope.name("exempt"), fastPath)
        guard let errors, let slip, let v4, let v6, let dryRun = declared.dryRun.value(or: false)
        else { return standard }
        return RateLimitSettings(
            responsesPerSecond: rate, errorsPerSecond: errors, slip: slip, v4PrefixLength: v4, v6PrefixLength: v6,
            exempt: exempt.map(\.prefix), isDryRun: dryRun)
    }

    private func requireFastPathRoom(_ exempt: [Network], _ name: String, _ fastPath: FastPathSettings?) {
        let limit = RateLimitSettings.maximumFastPathExempt
        guard exempt.count > limit, let fastPath, fastPath.mode != .off, fastPath.limitsRate else { return }
        report(
            exempt[limit].mark,
            "\(name) has \(exempt.count) networks, but the fast path compares at most \(limit)",
            remedy: "merge some, or set fast_path.rate_limit to false")
    }
}

import IPNetworks
import Yams

/// The keys about how the server speaks: `identity`, `cookies` and `rate_limit`; and lists of networks.
extension ConfigurationReader {
    mutating func identity(_ root: Fields) -> IdentitySettings? {
        guard let node = root["identity"] else {
            return IdentitySettings(nsid: nil, hostname: nil, version: nil, tellsDigest: false)
        }
        let known = ["nsid", "hostname", "version", "digest"]
        guard let fields = fields(node, name: "identity", prefix: "identity.", owner: "", known: known)
        else { return nil }
        return IdentitySettings(
            nsid: nsid(fields), hostname: characterString("hostname", in: fields),
            version: characterString("version", in: fields),
            tellsDigest: flag("digest", in: fields, default: false) ?? false)
    }

    /// Text, or bytes as `0x` and hexadecimal digits.
    private mutating func nsid(_ fields: Fields) -> [UInt8]? {
        let (name, expected) = (fields.name("nsid"), "1 to 128 bytes, as text or as 0x and hexadecimal digits")
        guard let node = fields["nsid"], let text = text(node, name: name, expected: expected) else { return nil }
        let bytes = text.hasPrefix("0x") ? CookieSettings.hexadecimal(text.dropFirst(2)) : Array(text.utf8)
        guard let bytes, (1...128).contains(bytes.count) else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): change it")
            return nil
        }
        return bytes
    }

    private mutating func characterString(_ key: String, in fields: Fields) -> String? {
        let (name, expected) = (fields.name(key), "text of at most 255 bytes")
        guard let node = fields[key], let text = text(node, name: name, expected: expected) else { return nil }
        guard text.utf8.count <= 255 else {
            report(node.place, "\(name) has \(text.utf8.count) bytes, expected \(expected): shorten it")
            return nil
        }
        return text
    }

    mutating func cookies(_ root: Fields) -> CookieSettings? {
        guard let node = root["cookies"] else {
            return CookieSettings(isEnabled: true, secrets: [], secretFile: nil, isRequired: false)
        }
        let known = ["enabled", "secrets", "secret_file", "require"]
        guard let fields = fields(node, name: "cookies", prefix: "cookies.", owner: "", known: known)
        else { return nil }
        let enabled = flag("enabled", in: fields, default: true)
        let required = flag("require", in: fields, default: false)
        let secrets = secrets(fields)
        let file = fields["secret_file"] == nil ? nil : path("secret_file", in: fields, default: "")
        if let node = fields["secret_file"], fields["secrets"] != nil {
            report(node.place, "cookies.secret_file and cookies.secrets are both given, expected one: remove one")
        }
        guard let enabled, let required else { return nil }
        return CookieSettings(isEnabled: enabled, secrets: secrets, secretFile: file, isRequired: required)
    }

    private mutating func secrets(_ fields: Fields) -> [[UInt8]] {
        let (name, example) = (fields.name("secrets"), "secrets: [\"00112233445566778899aabbccddeeff\"]")
        guard let node = fields["secrets"], let elements = list(node, name: name, of: "secret", example: example)
        else { return [] }
        let limit = CookieSettings.maximumSecrets
        if elements.count > limit {
            report(
                elements[limit].place,
                "\(name) has \(elements.count) entries, expected at most \(limit): remove \(elements.count - limit)")
        }
        return elements.compactMap { element in
            let expected = "32 hexadecimal digits"
            guard let text = text(element, name: "an entry of \(name)", expected: expected) else { return nil }
            if let secret = CookieSettings.secret(text) { return secret }
            // The text may be a secret with a slip of the finger: it is not repeated in a log.
            report(
                element.place,
                "an entry of \(name) is not of the form expected, \(expected): make one with "
                    + "`openssl rand -hex 16`")
            return nil
        }
    }

    /// - Parameter fastPath: limits replies too, and compares only some networks.
    mutating func rateLimit(_ root: Fields, _ fastPath: FastPathSettings?) -> RateLimitSettings {
        let standard = RateLimitSettings.byDefault
        guard let node = root["rate_limit"] else { return standard }
        let known = [
            "responses_per_second", "errors_per_second", "slip", "ipv4_prefix", "ipv6_prefix", "exempt", "dry_run",
        ]
        guard let fields = fields(node, name: "rate_limit", prefix: "rate_limit.", owner: "", known: known)
        else { return standard }
        // Without a rate of answers the section has to say something of errors: else one was forgotten.
        let rate =
            fields["errors_per_second"] != nil && fields["responses_per_second"] == nil
            ? nil
            : required("responses_per_second", in: fields, example: "responses_per_second: 20")
                .flatMap { integer($0, name: fields.name("responses_per_second"), in: 1...65_535) }
        let errors = number("errors_per_second", in: fields, 1...65_535, default: standard.errorsPerSecond)
        let slip = number("slip", in: fields, 0...10, default: standard.slip)
        let v4 = number("ipv4_prefix", in: fields, 0...32, default: standard.v4PrefixLength)
        let v6 = number("ipv6_prefix", in: fields, 0...128, default: standard.v6PrefixLength)
        let exempt = networks("exempt", in: fields)
        let limit = RateLimitSettings.maximumFastPathExempt
        if exempt.count > limit, let fastPath, fastPath.mode != .off, fastPath.limitsRate {
            report(
                exempt[limit].mark,
                "\(fields.name("exempt")) has \(exempt.count) networks, of which the fast path compares \(limit): join "
                    + "some, or set fast_path.rate_limit to false")
        }
        let dryRun = flag("dry_run", in: fields, default: false)
        guard let errors, let slip, let v4, let v6, let dryRun else { return standard }
        return RateLimitSettings(
            responsesPerSecond: rate, errorsPerSecond: errors, slip: slip, v4PrefixLength: v4, v6PrefixLength: v6,
            exempt: exempt.map(\.prefix), isDryRun: dryRun)
    }

    private mutating func number(
        _ key: String, in fields: Fields, _ range: ClosedRange<Int>, default fallback: Int
    ) -> Int? {
        guard let node = fields[key] else { return fallback }
        return integer(node, name: fields.name(key), in: range)
    }

    mutating func flag(_ key: String, in fields: Fields, default fallback: Bool) -> Bool? {
        guard let node = fields[key] else { return fallback }
        return boolean(node, name: fields.name(key))
    }

    // MARK: - Networks

    /// A network of a list and its place.
    struct Network {
        let prefix: IPPrefix
        let mark: SourceMark
    }

    /// `allow` and `deny` of a zone.
    mutating func access(_ entry: Entry) -> (allow: [IPPrefix], deny: [IPPrefix]) {
        let allow = networks("allow", in: entry.fields)
        let deny = networks("deny", in: entry.fields)
        let allowed = Set(allow.map(\.prefix))
        for network in deny where allowed.contains(network.prefix) {
            report(network.mark, "\(entry.owner) both allows and denies \(network.prefix): remove one of them")
        }
        return (allow.map(\.prefix), deny.map(\.prefix))
    }

    /// Reads a list of networks, or single addresses, none twice; an absent list is empty.
    mutating func networks(_ key: String, in fields: Fields) -> [Network] {
        let (name, example) = (fields.name(key), "\(key): [192.0.2.0/24, \"2001:db8::/32\"]")
        guard let node = fields[key], let elements = list(node, name: name, of: "network", example: example)
        else { return [] }
        let limit = ServerConfiguration.maximumNetworks
        if elements.count > limit {
            report(
                elements[limit].place,
                "\(name) has \(elements.count) entries, expected at most \(limit): remove \(elements.count - limit)")
        }
        var first: [IPPrefix: SourceMark] = [:]
        return elements.compactMap { element in
            guard let prefix = network(element, name: name) else { return nil }
            if let earlier = first[prefix] {
                report(element.place, "\(name) has \(prefix) twice, first at line \(earlier.line): remove one")
                return nil
            }
            first[prefix] = element.place
            return Network(prefix: prefix, mark: element.place)
        }
    }

    private mutating func network(_ node: Node, name: String) -> IPPrefix? {
        let expected = "a network"
        guard let text = text(node, name: "an entry of \(name)", expected: expected) else { return nil }
        if let prefix = IPPrefix(text) { return prefix }
        if let address = IPAddress(text) { return IPPrefix(address: address, length: address.family.bitWidth) }
        let found = "\(name) has \(Spelling.quoted(text)), expected \(expected)"
        let parts = text.split(separator: "/", maxSplits: 1)
        if parts.count == 2, let address = IPAddress(parts[0]), let length = Int(parts[1]),
            (0...address.family.bitWidth).contains(length)
        {
            report(
                node.place,
                "\(found) whose bits after the first \(length) are zero: write "
                    + "\(IPPrefix(address: address, length: length))")
            return nil
        }
        report(node.place, "\(found): write it like 192.0.2.0/24 or \"2001:db8::/32\"")
        return nil
    }
}

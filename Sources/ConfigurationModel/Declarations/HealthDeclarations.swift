/// `health` of a pool or a node. The top-level one has more keys: ``ServerHealthDeclaration``.
public struct HealthDeclaration: Sendable {
    public var interval: Declared<String> = .absent
    public var timeout: Declared<String> = .absent
    public var fall: Declared<Int> = .absent
    public var rise: Declared<Int> = .absent
    public var slowStart: Declared<String> = .absent
    public var checks: DeclaredList<CheckDeclaration> = .absent
    public var load: Declared<Switchable<LoadDeclaration>> = .absent

    public static let keys = ["interval", "timeout", "fall", "rise", "slow_start", "checks", "load"]

    public init() {}
}

/// `health` at the top level.
public struct ServerHealthDeclaration: Sendable {
    /// The defaults for all nodes. Not a mapping of its own.
    public var common = HealthDeclaration()
    public var brake: Declared<Switchable<BrakeDeclaration>> = .absent
    public var reports: Declared<ReportsDeclaration> = .absent
    public var observers: DeclaredList<String> = .absent
    public var hooks: DeclaredList<HookDeclaration> = .absent

    public static let keys = HealthDeclaration.keys + ["brake", "reports", "observers", "hooks"]

    public init() {}
}

/// `health.brake`.
public struct BrakeDeclaration: Sendable {
    public var percent: Declared<Int> = .absent
    public var hold: Declared<String> = .absent

    public static let keys = ["percent", "hold"]

    public init() {}
}

/// An entry of `health.hooks`.
public struct HookDeclaration: Sendable {
    public var run: DeclaredList<String> = .absent
    public var user: Declared<String> = .absent
    public var timeout: Declared<String> = .absent
    public var on: DeclaredList<String> = .absent

    public static let keys = ["run", "user", "timeout", "on"]

    public init() {}
}

/// `health.reports`.
public struct ReportsDeclaration: Sendable {
    public var missingAfter: Declared<String> = .absent
    public var listen: DeclaredList<String> = .absent
    public var tokens: Declared<String> = .absent
    public var certificate: Declared<String> = .absent
    public var key: Declared<String> = .absent
    public var plain: Declared<Bool> = .absent

    public static let keys = ["missing_after", "listen", "tokens", "certificate", "key", "plain"]

    public init() {}
}

/// `load` of a `health`.
public struct LoadDeclaration: Sendable {
    public var shedAbove: Declared<Int> = .absent
    public var backBelow: Declared<Int> = .absent
    public var step: Declared<Int> = .absent
    public var settle: Declared<String> = .absent

    public static let keys = ["shed_above", "back_below", "step", "settle"]

    public init() {}
}

/// An entry of `checks` of a `health`, of any type.
public struct CheckDeclaration: Sendable {
    public var type: Declared<String> = .absent
    public var address: Declared<String> = .absent
    public var source: Declared<String> = .absent
    public var interval: Declared<String> = .absent
    public var timeout: Declared<String> = .absent
    public var fall: Declared<Int> = .absent
    public var rise: Declared<Int> = .absent
    public var port: Declared<Int> = .absent
    public var send: Declared<String> = .absent
    public var expect: Declared<String> = .absent
    public var path: Declared<String> = .absent
    public var host: Declared<String> = .absent
    public var codes: Declared<String> = .absent
    public var body: Declared<String> = .absent
    public var redirects: Declared<Int> = .absent
    public var redirectHosts: Declared<String> = .absent
    public var verify: Declared<Bool> = .absent
    public var authorities: Declared<String> = .absent
    public var name: Declared<String> = .absent
    public var record: Declared<String> = .absent
    public var code: Declared<String> = .absent
    public var days: Declared<Int> = .absent
    public var missingAfter: Declared<String> = .absent
    public var tls: Declared<Bool> = .absent
    public var headers: DeclaredList<String> = .absent
    public var jsonPath: Declared<String> = .absent
    public var jsonValue: Declared<String> = .absent
    public var answer: Declared<String> = .absent
    public var service: Declared<String> = .absent
    public var run: DeclaredList<String> = .absent
    public var user: Declared<String> = .absent

    /// The keys of all types.
    public static let keys = [
        "type", "address", "source", "interval", "timeout", "fall", "rise", "port", "send", "expect", "path", "host",
        "codes", "body", "redirects", "redirect_hosts", "verify", "authorities", "name", "record", "code", "days",
        "missing_after", "tls", "headers", "json_path", "json_value", "answer", "service", "run", "user",
    ]

    /// The keys of checks of `type`. The keys of all types if there is no such type.
    package static func keys(of type: String?) -> [String] {
        type.flatMap { CheckType(rawValue: $0) }?.keys ?? keys
    }

    public init() {}

    /// The given keys with their locations. `nil` if the value could not be read.
    var given: [(key: String, location: DocumentLocation?)] {
        func entry<Value>(_ key: String, _ declared: Declared<Value>) -> (String, DocumentLocation?)? {
            declared.isAbsent ? nil : (key, declared.located?.key)
        }
        return [
            entry("address", address), entry("source", source), entry("interval", interval),
            entry("timeout", timeout), entry("fall", fall), entry("rise", rise), entry("port", port),
            entry("send", send), entry("expect", expect), entry("path", path), entry("host", host),
            entry("codes", codes), entry("body", body), entry("redirects", redirects),
            entry("redirect_hosts", redirectHosts), entry("verify", verify), entry("authorities", authorities),
            entry("name", name), entry("record", record), entry("code", code), entry("days", days),
            entry("missing_after", missingAfter), entry("tls", tls), entry("headers", headers),
            entry("json_path", jsonPath), entry("json_value", jsonValue), entry("answer", answer),
            entry("service", service), entry("run", run), entry("user", user),
        ].compactMap(\.self)
    }
}

/// `type` of a check.
package enum CheckType: String, CaseIterable {
    case tcp, http, https, dns, icmp, certificate, grpc, command, report

    /// The keys of checks of the type.
    var keys: [String] {
        // A report is not requested, so it has no interval.
        self == .report
            ? ["type"] + particular
            : ["type"] + particular + ["address", "source", "interval", "timeout", "fall", "rise"]
    }

    private static let keysOfHTTP = [
        "port", "path", "host", "codes", "body", "headers", "json_path", "json_value", "redirects", "redirect_hosts",
    ]

    /// The keys that only some types have.
    private var particular: [String] {
        switch self {
        case .tcp: ["port", "send", "expect", "tls", "host", "verify", "authorities"]
        case .http: Self.keysOfHTTP
        case .https: Self.keysOfHTTP + ["verify", "authorities"]
        case .dns: ["port", "name", "record", "code", "answer"]
        case .grpc: ["port", "service", "tls", "host", "verify", "authorities"]
        case .command: ["run", "user"]
        case .icmp: []
        case .certificate: ["port", "host", "days", "verify", "authorities"]
        case .report: ["missing_after", "fall", "rise"]
        }
    }
}

/// `redirect_hosts` of a check.
package enum RedirectHosts: String, CaseIterable {
    case same, any
}

/// `code` of a check of type `dns`.
package enum ResponseCode: String, CaseIterable {
    case noError = "NOERROR"
    case formErr = "FORMERR"
    case servFail = "SERVFAIL"
    case nxDomain = "NXDOMAIN"
    case notImp = "NOTIMP"
    case refused = "REFUSED"

    /// RFC 1035, section 4.1.1.
    var number: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) }
}

import ConfigurationModel
import Yams

/// `health`, at the top level and in pools and nodes.
extension YAMLReader {
    mutating func serverHealth(_ fields: Fields) -> ServerHealthDeclaration {
        var declaration = ServerHealthDeclaration()
        declaration.common = health(fields)
        declaration.brake = switchable("brake", in: fields, known: BrakeDeclaration.keys) { reader, fields in
            var brake = BrakeDeclaration()
            brake.percent = reader.integer("percent", in: fields, .brakePercent)
            brake.hold = reader.text("hold", in: fields, TimeSpan.brakeHold.expected)
            return brake
        }
        declaration.reports = mapping("reports", in: fields, known: ReportsDeclaration.keys) { reader, fields in
            var reports = ReportsDeclaration()
            reports.missingAfter = reader.text("missing_after", in: fields, TimeSpan.missingAfter.expected)
            reports.listen = reader.texts("listen", in: fields, .reportListen, Expected.endpoint)
            reports.tokens = reader.text("tokens", in: fields, Expected.path)
            reports.certificate = reader.text("certificate", in: fields, Expected.path)
            reports.key = reader.text("key", in: fields, Expected.path)
            reports.plain = reader.flag("plain", in: fields)
            return reports
        }
        declaration.observers = texts("observers", in: fields, .observers, Expected.word)
        declaration.hooks = list("hooks", in: fields, .hooks) { reader, node, number in
            let subject = fields.subject.hook(number)
            let fields = reader.fields(node, name: subject.owner, subject, known: HookDeclaration.keys)
            return fields.map { reader.hook($0) }
        }
        return declaration
    }

    mutating func health(_ fields: Fields) -> HealthDeclaration {
        var declaration = HealthDeclaration()
        declaration.interval = text("interval", in: fields, TimeSpan.interval.expected)
        declaration.timeout = text("timeout", in: fields, TimeSpan.timeout.expected)
        declaration.fall = integer("fall", in: fields, .results)
        declaration.rise = integer("rise", in: fields, .results)
        declaration.slowStart = text("slow_start", in: fields, TimeSpan.slowStart.expected)
        declaration.checks = list("checks", in: fields, .checks) { reader, node, number in
            reader.check(node, fields.subject.check(number))
        }
        declaration.load = switchable("load", in: fields, known: LoadDeclaration.keys) { $0.load($1) }
        return declaration
    }

    private mutating func hook(_ fields: Fields) -> HookDeclaration {
        var declaration = HookDeclaration()
        declaration.run = texts("run", in: fields, .run, Expected.text)
        declaration.user = text("user", in: fields, Expected.text)
        declaration.timeout = text("timeout", in: fields, TimeSpan.timeout.expected)
        declaration.on = texts("on", in: fields, .hookStates, Expected.text)
        return declaration
    }

    private mutating func load(_ fields: Fields) -> LoadDeclaration {
        var declaration = LoadDeclaration()
        declaration.shedAbove = integer("shed_above", in: fields, .shedAbove)
        declaration.backBelow = integer("back_below", in: fields, .backBelow)
        declaration.step = integer("step", in: fields, .loadStep)
        declaration.settle = text("settle", in: fields, TimeSpan.settle.expected)
        return declaration
    }

    private mutating func check(_ node: Node, _ subject: Subject) -> CheckDeclaration? {
        guard let mapping = node.mapping else {
            report(
                location(node), "\(subject.owner) is \(node.kind), expected a mapping",
                remedy: "write it as {type: tcp, port: 443}")
            return nil
        }
        let type = mapping.first { $0.key.scalar?.string == "type" }?.value.scalar?.string
        let fields = fields(
            node, name: subject.owner, subject, known: CheckDeclaration.keys, shown: CheckDeclaration.keys(of: type))
        guard let fields else { return nil }
        var declaration = CheckDeclaration()
        declaration.type = text("type", in: fields, Expected.oneOf(CheckType.self))
        declaration.address = text("address", in: fields, Expected.address)
        declaration.source = text("source", in: fields, Expected.address)
        declaration.interval = text("interval", in: fields, TimeSpan.interval.expected)
        declaration.timeout = text("timeout", in: fields, TimeSpan.timeout.expected)
        declaration.fall = integer("fall", in: fields, .results)
        declaration.rise = integer("rise", in: fields, .results)
        declaration.port = integer("port", in: fields, .port)
        declaration.send = text("send", in: fields, Expected.text)
        declaration.expect = text("expect", in: fields, Expected.text)
        declaration.path = text("path", in: fields, Expected.path)
        declaration.host = text("host", in: fields, Expected.host)
        declaration.codes = text("codes", in: fields, Expected.codes)
        declaration.body = text("body", in: fields, Expected.text)
        declaration.redirects = integer("redirects", in: fields, .redirects)
        declaration.redirectHosts = text("redirect_hosts", in: fields, Expected.oneOf(RedirectHosts.self))
        declaration.verify = flag("verify", in: fields)
        declaration.authorities = text("authorities", in: fields, Expected.path)
        declaration.name = text("name", in: fields, Expected.domainName)
        declaration.record = text("record", in: fields, Expected.recordType)
        declaration.code = text("code", in: fields, Expected.oneOf(ResponseCode.self))
        declaration.days = integer("days", in: fields, .certificateDays)
        declaration.missingAfter = text("missing_after", in: fields, TimeSpan.missingAfter.expected)
        declaration.tls = flag("tls", in: fields)
        declaration.headers = texts("headers", in: fields, .headers, Expected.header)
        declaration.jsonPath = text("json_path", in: fields, Expected.jsonPath)
        declaration.jsonValue = text("json_value", in: fields, Expected.text)
        declaration.answer = text("answer", in: fields, Expected.text)
        declaration.service = text("service", in: fields, Expected.text)
        declaration.run = texts("run", in: fields, .run, Expected.text)
        declaration.user = text("user", in: fields, Expected.text)
        return declaration
    }
}

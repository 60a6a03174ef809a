public import DNSWire
public import Resolution
public import Zones
public import ZoneFile

/// What the fuzzed server serves: the sample model's tailored names, over a zone of every shape.
public enum FuzzModel {
    public static var resolver: ModelResolver {
        do {
            let sample = try SampleModel()
            let model = sample.model
            // The sample's zone with an access list is not served here.
            let example = try DomainName("example.com")
            let tailored = model.tailored.filter { $0.name.isSubdomain(of: example) }
            let names =
                tailored.map { ($0.name, TailoredKinds.addresses) } + model.tailoredRecords.map { ($0.name, $0.kinds) }
            let zones = try ZoneSet([
                zone("example.com", exampleZone, tailored: names), zone("example.net", netZone),
            ])
            let identity = ServerIdentity(nsid: Array("fuzz".utf8), hostname: "fuzz", version: "1")
            return ModelResolver(
                model: ServingModel(
                    epoch: 1, digest: 1, zones: zones, tailored: tailored, tailoredRecords: model.tailoredRecords,
                    steering: model.steering, location: model.location, places: model.places),
                words: sample.words, settings: ProtocolSettings(identity: identity, keepalive: 100))
        } catch {
            fatalError("the model: \(error)")
        }
    }

    private static func zone(_ apex: String, _ text: String, tailored: [(DomainName, TailoredKinds)] = []) throws -> Zone {
        let apex = try DomainName(apex)
        let contents = ZoneFileParser.parseZone(text: Array(text.utf8), file: "\(apex)zone", apex: apex)
        require(contents.errors.isEmpty, "\(contents.errors)")
        guard let zone = try build(contents, apex: apex, tailored: tailored) else { fatalError("no zone \(apex)") }
        return zone
    }

    /// The zone of what was read; `nil` when the reading found errors.
    public static func build(
        _ contents: ZoneFileContents, apex: DomainName, tailored: [(DomainName, TailoredKinds)] = []
    ) throws -> Zone? {
        guard contents.errors.isEmpty else { return nil }
        var builder = ZoneBuilder(apex: apex)
        for located in contents.records { try builder.add(located.record) }
        for (name, kinds) in tailored { try builder.addTailoredName(name, as: kinds) }
        return try builder.build()
    }

    private static let exampleZone = """
        $TTL 3600
        @ SOA ns1 hostmaster 1 3600 900 604800 300
        @ NS ns1
        @ NS ns2.example.net.
        @ MX 10 mail
        @ TXT "one" "two"
        ns1 A 192.0.2.53
        ns1 AAAA 2001:db8::53
        mail A 192.0.2.25
        alias CNAME www
        chain CNAME chain2
        chain2 CNAME out.example.net.
        loop CNAME loop2
        loop2 CNAME loop
        *.wild A 192.0.2.99
        *.wild TXT "any"
        *.cname CNAME www
        a.b.c.ent A 192.0.2.7
        old DNAME new
        x.new A 192.0.2.8
        gone DNAME example.net.
        child NS ns.child
        child NS ns.elsewhere.test.
        ns.child A 192.0.2.77
        _sip._tcp SRV 0 5 5060 mail
        unknown TYPE65400 \\# 3 010203
        big TXT "\(String(repeating: "x", count: 250))" "\(String(repeating: "y", count: 250))"
        big TXT "\(String(repeating: "z", count: 250))" "\(String(repeating: "v", count: 250))"
        big TXT "\(String(repeating: "w", count: 250))" "\(String(repeating: "u", count: 250))"
        """

    private static let netZone = """
        $TTL 60
        @ SOA ns1.example.com. hostmaster.example.com. 1 3600 900 604800 30
        @ NS ns1.example.com.
        out CNAME alias.example.com.
        * A 192.0.2.100
        """
}

extension TailoredRecords {
    fileprivate var kinds: TailoredKinds {
        switch type {
        case .srv: .srv
        case .cname: .alias
        default: .https
        }
    }
}

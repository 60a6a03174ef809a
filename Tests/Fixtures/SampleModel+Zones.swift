package import DNSWire
import Zones

/// Zones without tailored names: every shape of answer that is the same for all clients.
extension SampleModel {
    /// Names of the zones below, and names near them.
    public static let zoneNames = [
        "many.test", "MANY.test", "a.many.test", "b.a.many.test", "ent.many.test", "deep.ent.many.test",
        "x.deep.ent.many.test", "wild.many.test", "x.wild.many.test", "x.y.wild.many.test", "*.wild.many.test",
        "off.many.test", "x.off.many.test", "on.many.test", "x.on.many.test", "in.many.test", "x.in.many.test",
        "far.many.test", "near.many.test", "tail.many.test", "mail.many.test", "types.many.test", "long.many.test",
        "cut.many.test", "x.cut.many.test", "ns.cut.many.test", "x.ns.cut.many.test", "glue.cut.many.test",
        "other.many.test", "x.other.many.test", "self.many.test", "x.self.many.test", "down.many.test",
        "x.down.many.test", "hidden.many.test", "ns.hidden.many.test", "x.ns.hidden.many.test", "box.many.test",
        "x.box.many.test", "kid.many.test", "www.kid.many.test", "none.kid.many.test", "b.kid2.many.test",
        "x.b.kid2.many.test", "kid2.many.test", "every.test", "x.every.test", "x.y.every.test", "lone.a.b.nowhere",
        "a.b.nowhere", "x.a.b.nowhere", "b.nowhere", "x.b.nowhere", "nowhere", "x.nowhere",
        threeCellName, "x." + threeCellName, "half.test", "h.half.test", "x.half.test", "toward.many.test", "nul.test",
        "x.nul.test", "huge.many.test", "vast.many.test", "x.flood.many.test", "first.many.test", "gone.many.test",
        "hosts.many.test", "x.to.many.test", "x.y.to.many.test", "to.many.test", "x.led.many.test",
        "x.mailed.many.test",
        "x.lost.many.test", "rare.many.test", "rarer.many.test", "x.led.every.test", "mx.every.test", "x.mx.every.test",
        "a.b.led.many.test",
        longest(below: "many.test"), longest(below: "wild.many.test"), longest(below: "to.many.test"),
        longest(below: "flood.many.test"), longest(below: "none.many.test"), longest(below: "cut.many.test"),
        longest(below: "down.many.test"), longest(below: "other.org"),
    ]

    /// 121 bytes on the wire: an entry of three cells.
    public static let threeCellName =
        "this-is-a-label-of-thirty-bytes.and-this-is-another-one-of-them.and-here-is-a-third-such-label.many.test"

    static func staticZones() throws -> [Zone] {
        [
            try zone("many.test", primary: "ns.hidden.many.test", contact: "box.many.test", Self.addMany),
            // One inside the other: a delegation, and one that the zone above says nothing of.
            try zone("kid.many.test", primary: "ns1.example.com", contact: "x.www.kid.many.test") { add in
                try add("www.kid.many.test", .a, [192, 0, 2, 80])
                try add("kid.many.test", .ns, wire("www.kid.many.test"))
            },
            try zone("b.kid2.many.test", primary: "b.kid2.many.test", contact: "b.kid2.many.test") { add in
                try add("b.kid2.many.test", .a, [192, 0, 2, 81])
            },
            // Every name, at the apex.
            try zone("every.test", primary: "ns.every.test", contact: "x.every.test") { add in
                try add("*.every.test", .a, [192, 0, 2, 82])
                try add("*.every.test", .txt, [1, 120])
                try add("*.every.test", .mx, [0, 1] + wire("mx.every.test"))
                try add("*.led.every.test", .cname, wire("only.every.test"))
                try add("only.every.test", .a, [192, 0, 2, 84])
            },
            // Signatures without a chain that denies.
            try zone("half.test", primary: "ns1.example.com", contact: "ns1.example.com") { add in
                try add("h.half.test", .a, [192, 0, 2, 83])
                let times: [UInt8] = [0, 0, 3, 132, 0x70, 0, 0, 0, 0x60, 0, 0, 0, 0, 7]
                try add(
                    "h.half.test", .rrsig, [0, 1, 13, 3] + times + wire("half.test") + Array(repeating: 9, count: 64))
            },
            // The SOA names what replies are tried with.
            try zone("nul.test", primary: "\\000.nul.test", contact: "\\001.nul.test") { _ in },
            // Nothing is served above.
            try zone("a.b.nowhere", primary: "a.b.nowhere", contact: "b.nowhere") { add in
                try add("lone.a.b.nowhere", .aaaa, Array(1...16))
            },
        ]
    }

    private typealias Adding = (String, RecordType, [UInt8]) throws -> Void

    private static func wire(_ text: String) throws -> [UInt8] { try DomainName(text).wire }

    private static func zone(
        _ apex: String, primary: String, contact: String, _ fill: (Adding) throws -> Void
    ) throws -> Zone {
        var builder = ZoneBuilder(apex: try DomainName(apex))
        func add(_ name: String, _ type: RecordType, _ data: [UInt8]) throws {
            try builder.add(
                ResourceRecord(owner: try DomainName(name), type: type, recordClass: .in, ttl: 900, data: data))
        }
        let numbers: [UInt8] = [0, 0, 0, 1, 0, 0, 14, 16, 0, 0, 3, 132, 0, 9, 58, 128, 0, 0, 1, 44]
        try add(apex, .soa, wire(primary) + wire(contact) + numbers)
        try fill(add)
        return try builder.build()
    }

    /// Replies that some clients take whole, some in part and some not at all.
    private static func addLong(_ add: Adding) throws {
        for number in 0..<40 { try add("huge.many.test", .a, [192, 0, 4, UInt8(number)]) }
        for number in 0..<90 { try add("vast.many.test", .a, [192, 0, 5, UInt8(number)]) }
        for number in 0..<90 { try add("*.flood.many.test", .a, [192, 0, 6, UInt8(number)]) }
        for number in 0..<35 { try add("hosts.many.test", .mx, [0, UInt8(number)] + wire("huge.many.test")) }
        // Chains: to what is long, and to what is not there.
        try add("first.many.test", .cname, wire("huge.many.test"))
        try add("gone.many.test", .cname, wire("none.ent.many.test"))
    }

    /// Types that zones seldom have. Replies may compress the names in data of the first three (RFC 3597, section 4).
    package static let rareTypes: [(name: String, type: RecordType)] = [
        ("rare.many.test", .mb), ("rare.many.test", .minfo), ("rare.many.test", .md), ("rare.many.test", .rt),
        ("rare.many.test", .px), ("rarer.many.test", .lp), ("rarer.many.test", .l32), ("rarer.many.test", .amtrelay),
        ("rarer.many.test", .zonemd), ("rarer.many.test", .null),
    ]

    private static func addRare(_ add: Adding) throws {
        let host = try wire("a.many.test")
        for (name, type) in rareTypes {
            let data: [UInt8]
            switch type {
            case .minfo: data = host + host
            case .rt, .lp: data = [0, 10] + host
            case .px: data = [0, 10] + host + host
            case .l32: data = [0, 10, 192, 0, 2, 18]
            case .amtrelay: data = [10, 3] + host
            case .zonemd: data = [0, 0, 0, 1, 1, 1] + Array(repeating: 5, count: 48)
            case .null: data = [1, 2, 3]
            default: data = host
            }
            try add(name, type, data)
        }
    }

    private static func addMany(_ add: Adding) throws {
        try add("many.test", .ns, wire("a.many.test"))
        try add("many.test", .ns, wire("ns.outside.org"))
        try add("a.many.test", .a, [192, 0, 2, 10])
        try add("a.many.test", .aaaa, Array(1...16))
        try add("b.a.many.test", .txt, [5] + Array("hello".utf8) + [0])
        try add("deep.ent.many.test", .a, [192, 0, 2, 11])
        try add("*.wild.many.test", .a, [192, 0, 2, 12])
        try add("*.wild.many.test", .caa, [0, 5] + Array("issueca.example".utf8))
        // Wildcard aliases: to a zone that is not served, to a served name, below the wildcard itself.
        try add("*.off.many.test", .cname, wire("target.elsewhere.test"))
        try add("*.on.many.test", .cname, wire("a.many.test"))
        try add("*.in.many.test", .cname, wire("x.in.many.test"))
        // To a chain that ends here, to a tailored name, to hosts that are there and that are not.
        try add("*.to.many.test", .cname, wire("near.many.test"))
        try add("*.led.many.test", .cname, wire("www.example.com"))
        try add("*.mailed.many.test", .mx, [0, 1] + wire("a.many.test"))
        try add("*.mailed.many.test", .srv, [0, 1, 0, 2, 0, 80] + wire("x.mailed.many.test"))
        try add("*.lost.many.test", .cname, wire("none.ent.many.test"))
        try add(longest(below: "many.test"), .a, [192, 0, 2, 17])
        try add("far.many.test", .cname, wire("far.away.test"))
        try add("near.many.test", .cname, wire("a.many.test"))
        try add("tail.many.test", .cname, wire("www.example.com"))
        try add("mail.many.test", .mx, [0, 10] + wire("A.Many.TEST"))
        try add("mail.many.test", .srv, [0, 1, 0, 2, 0, 80] + wire("a.many.test"))
        for type in 0..<12 { try add("types.many.test", RecordType(rawValue: 65_300 + UInt16(type)), [UInt8(type)]) }
        for number in 0..<24 { try add("long.many.test", .a, [192, 0, 3, UInt8(number)]) }
        try addLong(add)
        try addRare(add)
        try add(threeCellName, .a, [192, 0, 2, 13])
        // Delegations: with glue below, with servers elsewhere, to itself.
        try add("cut.many.test", .ns, wire("ns.cut.many.test"))
        try add("cut.many.test", .ns, wire("Glue.cut.many.test"))
        try add("ns.cut.many.test", .a, [192, 0, 2, 14])
        try add("glue.cut.many.test", .aaaa, Array(1...16))
        try add("other.many.test", .ns, wire("a.many.test"))
        try add("other.many.test", .ns, wire("ns.elsewhere.test"))
        try add("other.many.test", .ds, [0, 1, 13, 2] + Array(repeating: 7, count: 32))
        try add("self.many.test", .ns, wire("self.many.test"))
        try add("self.many.test", .a, [192, 0, 2, 15])
        try add("down.many.test", .dname, wire("wild.many.test"))
        try add("down.many.test", .txt, [1, 33])
        try add("box.many.test", .a, [192, 0, 2, 16])
        try add("box.many.test", RecordType(rawValue: 65_280), [1])
        try add("box.many.test", RecordType(rawValue: 65_281), [2])
        try add("toward.many.test", .cname, wire("h.half.test"))
        try add("kid.many.test", .ns, wire("www.kid.many.test"))
    }
}

import DNSWire
import FastPathDriver
import FastPathPlan
import Fixtures
import Glibc
import Resolution
import Testing
import Zones

@Suite("Overlay of changed names", .serialized) @MainActor
struct OverlayParityTests {
    init() throws { try #require(geteuid() == 0, "parity runs the program in the kernel: run as root") }

    private static let types: [RecordType] = [
        .a, .aaaa, .txt, .mx, .cname, .https, .srv, .ptr, .soa, .ns, .rrsig, .ds, RecordType(rawValue: 65_300),
    ]

    /// Owners that edits choose from, by zone.
    private static let owners: [String: [String]] = [
        "over.test": [
            "h0", "h1", "h2", "h3", "n1", "n2", "x.n2", "b.ent", "ent", "a.b.ent", "c.b.ent", "*.w", "w", "x.w",
            "y.x.w",
            "*.n1", "alias", "away", "next", "mail", "srv", "ns1", "x.ns1", "svc", "kid", "x.kid", "mx.alias",
            "under.down", "ns.cut", "*",
        ].map { "\($0).over.test" } + ["over.test"],
        "few.test": ["ns", "far", "wild", "box", "x.box", "one", "*.two", "two"].map { "\($0).few.test" } + [
            "few.test"
        ],
        "kid.over.test": ["www", "x", "*"].map { "\($0).kid.over.test" } + ["kid.over.test"],
    ]

    /// Names to be asked always: those that lead elsewhere, and what is not there.
    private static let others = [
        "alias.over.test", "far.few.test", "wild.few.test", "under.few.test", "mail.over.test", "cut.over.test",
        "x.cut.over.test", "out.over.test", "x.out.over.test", "ns.over.test", "a.ns.over.test", "no.over.test",
        "x.no.over.test", "no.few.test", "no.kid.over.test", "h50.over.test",
        "x.h50.over.test", "over.test", "few.test", "www.example.com", "x.h1.down.over.test",
        "led.example.com",
    ]

    private static func data(_ type: RecordType, _ random: inout Deterministic) throws -> [UInt8] {
        let zone = OverlayWorld.apexes.randomElement(using: &random) ?? ""
        let host = try OverlayWorld.wire(owners[zone]?.randomElement(using: &random) ?? "over.test")
        let number = UInt8.random(in: 0...255, using: &random)
        switch type {
        case .a: return [10, 1, 0, number]
        case .aaaa: return Array(repeating: number, count: 16)
        case .ptr: return host
        case .cname: return number < 40 ? try OverlayWorld.wire("www.example.com") : host
        case .mx, .https: return [0, 1] + host
        case .srv: return [0, 1, 0, 1, 0, 80] + host
        default: return [1, number]
        }
    }

    /// One to three RRsets of a zone.
    private static func edits(
        _ apex: String, _ random: inout Deterministic
    ) throws -> [(key: OverlayWorld.Key, data: [[UInt8]])] {
        let names = owners[apex] ?? []
        var edits: [(key: OverlayWorld.Key, data: [[UInt8]])] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let type = [RecordType.a, .a, .a, .aaaa, .txt, .cname, .cname, .mx, .https, .srv, .ptr].randomElement(
                using: &random)
            let key = OverlayWorld.Key(owner: names.randomElement(using: &random) ?? apex, type: type ?? .a)
            let count = Int.random(in: 0...2, using: &random)
            let data = try (0..<(type == .cname ? min(count, 1) : count)).map { _ in try Self.data(key.type, &random) }
            edits.append((key, data))
        }
        return edits
    }

    /// The names touched, those around them, and some more.
    private static func neighbourhood(_ edits: [(key: OverlayWorld.Key, data: [[UInt8]])]) -> [String] {
        var names = others
        for (key, _) in edits {
            let labels = key.owner.split(separator: ".")
            for start in 0..<max(labels.count - 1, 1) {
                let name = labels[start...].joined(separator: ".")
                names += [name, "x.\(name)", "y.x.\(name)", "*.\(name)"]
            }
        }
        return Set(names).sorted()
    }

    @Test(
        "after random edits of zones the program answers as from new tables, at every name around them",
        arguments: 1...3, [false, true])
    func randomEdits(seed: Int, isFirst: Bool) throws {
        let world = try OverlayWorld(isFirst: isFirst)
        var random = Deterministic(state: UInt64(seed) &* 0x51ed)
        var (overlaid, anew, answered, asked) = (0, 0, 0, 0)
        for step in 0..<80 {
            let apex = [OverlayWorld.apexes[0], OverlayWorld.apexes[0]] + OverlayWorld.apexes
            let zone = apex.randomElement(using: &random) ?? "over.test"
            let edits = try Self.edits(zone, &random)
            let outcome = try world.edit(
                zone, edits, raisesSerial: Bool.random(using: &random), isCompared: Bool.random(using: &random),
                isAhead: Int.random(in: 0..<4, using: &random) == 0)
            guard let outcome else { continue }
            if outcome { overlaid += 1 } else { anew += 1 }
            // Whom the alias leads to that is made of nodes.
            world.prefer(Int.random(in: 0..<8, using: &random))
            let fresh = try world.image()
            let base = try #require(world.maps.image)
            for name in Self.neighbourhood(edits) {
                for type in Self.types {
                    asked += 1
                    if try world.compare(name, type, dnssecOK: asked % 7 == 0) { answered += 1 }
                    let parsed = try DomainName(name)
                    #expect(
                        base.answersAlike(parsed, type, under: world.maps.overlay) == fresh.answersAlike(parsed, type),
                        "\(name) \(type) after \(edits)")
                }
            }
            if step % 30 == 29 { try world.fold() }
        }
        #expect(overlaid > 2 * anew, "\(overlaid) by the overlay, \(anew) by new tables")
        #expect(answered > asked / 2, "\(answered) of \(asked) answered in the program")
    }

    @Test("a name is added, changed, removed and added again, with the names above it")
    func lifeOfAName() throws {
        let world = try OverlayWorld()
        let key = OverlayWorld.Key(owner: "x.y.new.over.test", type: .a)
        for data: [[UInt8]] in [[[10, 9, 9, 1]], [[10, 9, 9, 2]], [], [[10, 9, 9, 3], [10, 9, 9, 4]], []] {
            #expect(try world.edit("over.test", [(key, data)], raisesSerial: false, isCompared: false) == true)
            for name in ["x.y.new", "y.new", "new", "z.x.y.new", "z.new", "no"] {
                for type: RecordType in [.a, .txt] { #expect(try world.compare("\(name).over.test", type)) }
            }
        }
        #expect(
            world.maps.overlay?.count == 5,
            "three names, an alias into a DNAME, and one to a node whose host that is, a word each")
    }

    @Test(
        "a change in a zone with many aliases reaches the aliases that it concerns"
    )
    func manyAliases() throws {
        let world = try OverlayWorld(aliases: 1_100)
        #expect(try world.compare("k1.over.test", .aaaa), "nothing has changed yet")
        func set(_ owner: String, _ type: RecordType, _ data: [UInt8]...) throws -> Bool? {
            try world.edit(
                "over.test", [(OverlayWorld.Key(owner: "\(owner).over.test", type: type), data)], raisesSerial: true,
                isCompared: false)
        }
        #expect(try set("h5", .a, [10, 7, 0, 0]) == false, "tables that leave the ends")
        for round in 1...8 {
            #expect(try set("h5", .a, [10, 7, 0, UInt8(round)]) == true)
            for name in ["k5", "k95", "k1085", "k6", "h5"] {
                #expect(try world.compare("\(name).over.test", .a))
                #expect(try world.compare("\(name).over.test", .cname))
                #expect(try world.compare("\(name).over.test", .aaaa) == (name == "h5"))
            }
        }
        #expect(world.maps.overlay?.count ?? 0 < 60, "\(world.maps.overlay?.count ?? 0)")
        // Where an alias leads since, and that it did lead there.
        #expect(try set("k5", .cname, try OverlayWorld.wire("h6.over.test")) == true)
        for (host, number) in [("h6", 1), ("h5", 2), ("h6", 3)] as [(String, UInt8)] {
            #expect(try set(host, .a, [10, 6, 0, number]) == true)
            for name in ["k5", "k6", "k95"] { #expect(try world.compare("\(name).over.test", .a)) }
        }
        #expect(try set("h6", .aaaa, Array(repeating: 6, count: 16)) == true)
        for name in ["k5", "k6", "k96"] { #expect(try world.compare("\(name).over.test", .aaaa)) }
        #expect(try set("h6", .aaaa) == true)
        #expect(try !world.compare("k6.over.test", .aaaa))
        try world.fold()
        #expect(try !world.compare("k6.over.test", .aaaa))
        #expect(try world.compare("k6.over.test", .a))
    }

    @Test("a new serial reaches every name by two words, and free room is used again")
    func serials() throws {
        let world = try OverlayWorld()
        var cells = 0
        for round in 0..<50 {
            let key = OverlayWorld.Key(owner: "h7.over.test", type: .a)
            let data: [UInt8] = [10, 8, 8, UInt8(round)]
            #expect(
                try world.edit("over.test", [(key, [data])], raisesSerial: true, isCompared: round % 2 == 0) == true)
            for name in ["h7", "h8", "x.h8", "no", "b.ent", "away", "alias"] {
                for type: RecordType in [.a, .aaaa, .rrsig] { #expect(try world.compare("\(name).over.test", type)) }
            }
            if round == 2 { cells = world.maps.overlay?.cells ?? 0 }
        }
        #expect(world.maps.overlay?.cells == cells)
        #expect(cells > 0 && cells < 400)
        try world.fold()
        #expect(world.maps.overlay == nil)
        #expect(try world.compare("x.h8.over.test", .a))
    }

    @Test("if the overlay is full the change is refused whole, and the program answers as before")
    func noRoom() throws {
        let world = try OverlayWorld()
        let base = try world.image()
        var small = NameOverlay(base, entries: base.nameEntries.count + 1, answers: base.answers.count + 8)
        let zone = world.model.zones.zones.count - 3
        func changes(_ number: Int) throws -> StaticChanges {
            let edits = try (0..<number).map {
                RRsetChange(owner: try DomainName("h\($0).over.test"), type: .a, ttl: 1, records: [[1, 1, 1, 1]])
            }
            let (edited, names) = try world.model.zones.zones[zone].applying(edits)
            let next = world.model.replacing(world.model.zones.replacing([zone: edited]), epoch: 2, digest: 2)
            return try #require(
                StaticChanges(
                    from: world.model, to: next, names: [zone: names], sharing: base.sharingZones,
                    limit: 500))
        }
        #expect(small.plan(try changes(50)) == nil)
        #expect(small.count == 0 && small.cells == 0, "counts are those of the tables")
        #expect(small.plan(try changes(1)) == nil, "half a plan leaves nothing to build on")
    }
}

import DNSWire

/// The names that a declaration defines, valid or not, for references to them.
struct DeclaredNames {
    let nodes: KnownIdentifiers
    let pools: KnownIdentifiers
    let policies: KnownIdentifiers
    let views: KnownIdentifiers
    let origins: ServedOrigins
}

/// The ids that a list defines, in order and for lookup.
struct KnownIdentifiers {
    let texts: [String]
    private let set: Set<String>

    init<Declaration>(_ entries: [Entry<Declaration>]) {
        texts = entries.map(\.identifier.value)
        set = Set(texts)
    }

    func contains(_ text: String) -> Bool { set.contains(text) }
}

/// The declared zones, for names that must be inside one of them.
struct ServedOrigins {
    /// For messages.
    let excerpt: String
    private let served: Set<DomainName>
    private let isComplete: Bool

    init(_ zones: [Entry<ZoneDeclaration>]) {
        let origins = zones.map { try? DomainName($0.identifier.value) }
        // A zone whose origin could not be read may contain the name.
        isComplete = !origins.contains(nil) && !origins.isEmpty
        served = Set(origins.compactMap { $0 })
        excerpt = Spelling.excerpt(zones.map(\.identifier.value))
    }

    /// Whether `name` is in one of the zones that could be read.
    func contains(_ name: DomainName) -> Bool {
        sequence(first: name, next: \.parent).contains(where: served.contains)
    }

    /// Whether `name` is certainly in none of the zones. Looking up each ancestor keeps the cost independent of their
    /// number.
    func lacks(_ name: DomainName) -> Bool {
        isComplete && !contains(name)
    }
}

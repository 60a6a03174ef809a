import ConnectionLimits

/// The same rules by looking at every connection each time.
struct NaivePlaces {
    struct Connection: Equatable {
        let id: Int
        let client: Int
        let crowd: Int
        var progress: Int
    }

    let limit: Int
    let perClient: Int
    var open: [Connection] = []
    private var clock = 0

    init(limit: Int, perClient: Int) {
        self.limit = limit
        self.perClient = perClient
    }

    /// - Returns: the connection that gave way, and why.
    mutating func admit(_ id: Int, from client: Int, in crowd: Int) -> (id: Int, cause: String)? {
        clock += 1
        open.append(Connection(id: id, client: client, crowd: crowd, progress: clock))
        let own = open.filter { $0.client == client }
        if own.count > perClient { return remove(idlest(own), "client") }
        guard open.count > limit else { return nil }
        let sizes = Dictionary(grouping: open, by: \.crowd).mapValues(\.count)
        return remove(idlest(open.filter { sizes[$0.crowd] == sizes.values.max() }), "crowd")
    }

    mutating func touch(_ id: Int) {
        clock += 1
        if let index = open.firstIndex(where: { $0.id == id }) { open[index].progress = clock }
    }

    mutating func leave(_ id: Int) { open.removeAll { $0.id == id } }

    private func idlest(_ some: [Connection]) -> Connection? { some.min { $0.progress < $1.progress } }

    private mutating func remove(_ connection: Connection?, _ cause: String) -> (id: Int, cause: String)? {
        guard let connection else { return nil }
        leave(connection.id)
        return (connection.id, cause)
    }
}

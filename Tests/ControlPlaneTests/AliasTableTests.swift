import ConfigurationModel
import ConfigurationYAML
import ControlPlane
import HostLookup
import IPNetworks
import Testing

@Suite struct AliasTableTests {
    private static let second: Int64 = 1_000_000_000
    private static let one = IPAddress.v4(0xcb00_7101)
    private static let two = IPAddress.v4(0xcb00_7102)

    private let alias: AliasSettings
    private let key: AliasTable.Key
    private var table = AliasTable()

    init() throws {
        let yaml = World.yaml + "\naliases: [{name: example.com, target: cdn.example.net, stale: 30m}]"
        let configuration = try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/")
        alias = try #require(configuration.aliases.first)
        key = AliasTable.keys(of: alias)[0]
        table.use([alias], at: 0)
    }

    /// Takes the answer to a lookup that is due in some second.
    private mutating func take(_ answer: HostLookup.Answer, at seconds: Int64) -> [AliasTable.News] {
        #expect(table.due(at: seconds * Self.second).contains(key))
        return table.take(answer, for: key, at: seconds * Self.second)
    }

    private static func found(_ address: IPAddress, for seconds: Int64) -> HostLookup.Answer {
        .addresses([address], timeToLive: .seconds(seconds))
    }

    @Test func `addresses are withdrawn when their answer ended longer ago than the limit`() throws {
        var town = self
        #expect(town.take(Self.found(Self.one, for: 3_600), at: 1) == [.resolved([Self.one])])
        #expect(town.take(.unanswered("silence"), at: 3_601) == [.failed("silence")])
        for seconds in [3_601, 5_400] as [Int64] { #expect(town.table.expire(at: seconds * Self.second).isEmpty) }
        #expect(town.table.wanted(key) == [Self.one])
        #expect(town.table.expire(at: 5_402 * Self.second) == [key])
        #expect(town.table.wanted(key) == [])
        #expect(town.table.expire(at: 5_403 * Self.second).isEmpty, "told once")
    }

    @Test func `addresses of an earlier process are as old as their answer, and those of the file are not withdrawn`()
        throws
    {
        var table = AliasTable()
        let (own, other) = (key, AliasTable.keys(of: alias)[1])
        table.use([alias], at: 100 * Self.second) { $0 == own ? -1_690 * Self.second : nil }
        for key in table.due(at: 100 * Self.second) {
            _ = table.take(.unanswered("silence"), for: key, at: 100 * Self.second)
        }
        #expect(table.expire(at: 110 * Self.second).isEmpty)
        #expect(table.expire(at: 111 * Self.second) == [own])
        #expect(table.wanted(own) == [])
        #expect(table.expire(at: 9_000 * Self.second).isEmpty)
        #expect(table.wanted(other) == nil)
    }

    @Test func `a clock that was set back makes no answer last longer than an hour`() throws {
        var table = AliasTable()
        table.use([alias], at: 0) { _ in .max / 2 }
        for key in table.due(at: 0) { _ = table.take(.unanswered("silence"), for: key, at: 0) }
        #expect(table.expire(at: 5_400 * Self.second).isEmpty)
        #expect(table.expire(at: 5_401 * Self.second).count == 2)
    }

    @Test func `other servers are asked at once`() throws {
        var town = self
        _ = town.take(Self.found(Self.one, for: 3_600), at: 0)
        #expect(!town.table.due(at: Self.second).contains(key))
        town.table.askAgain(at: Self.second)
        #expect(town.table.due(at: Self.second).contains(key))
    }

    @Test func `a target that recovers with other addresses is told with both`() throws {
        var town = self
        _ = town.take(Self.found(Self.one, for: 10), at: 0)
        #expect(town.take(.unanswered("silence"), at: 10) == [.failed("silence")])
        #expect(town.take(.unanswered("silence"), at: 20).isEmpty)
        #expect(town.take(Self.found(Self.two, for: 10), at: 40) == [.recovered, .resolved([Self.two])])
        #expect(town.take(.unanswered("silence"), at: 50) == [.failed("silence")])
        #expect(town.take(Self.found(Self.two, for: 10), at: 60) == [.recovered])
    }

    @Test func `the pause after a failure grows to two minutes, and starts again after a success`() throws {
        var town = self
        var seconds: Int64 = 0
        for pause in [10, 20, 40, 80, 120, 120] as [Int64] {
            _ = town.take(.unanswered("silence"), at: seconds)
            #expect(!town.table.due(at: (seconds + pause) * Self.second - 1).contains(key))
            seconds += pause
        }
        _ = town.take(Self.found(Self.one, for: 5), at: seconds)
        _ = town.take(.unanswered("silence"), at: seconds + 5)
        _ = town.take(.unanswered("silence"), at: seconds + 15)
    }

    @Test func `what is known of a target counts both families`() throws {
        var town = self
        _ = town.table.due(at: 0)
        let other = AliasTable.keys(of: alias)[1]
        _ = town.table.take(Self.found(Self.one, for: 10), for: key, at: 3)
        #expect(town.table.knowledge(of: alias).confirmedAt == nil)
        _ = town.table.take(.noData, for: other, at: 2)
        #expect(town.table.knowledge(of: alias).confirmedAt == 2)
        _ = town.table.due(at: 10 * Self.second + 3)
        _ = town.table.take(.unanswered("silence"), for: key, at: 10 * Self.second + 3)
        #expect(town.table.knowledge(of: alias).problem == "silence")
    }
}

import BPFRuntime
import CFastPathABI
import DNSWire
import FastPathDriver
import FastPathPlan
import Fixtures
import IPNetworks
import Resolution
import Steering
import Testing

extension Kernel {
    @Suite(.serialized) @MainActor struct Generations {
        @Test("a node's change is seen by the next packet", arguments: XDPMode.allCases)
        func nextPacket(mode: XDPMode) throws {
            let path = try LiveFastPath("flip-\(mode.rawValue)", mode)
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            let message = query("www.example.com", subnet: (.v4(0x1203_0400), 24))
            var (answers, down) = (Set<[UInt8]>(), [Int]())
            for _ in 0..<6 {
                let reply = try #require(client.ask(message))
                #expect(try reply == path.expected(message, from: LiveFastPath.known4))
                #expect(answers.insert(reply).inserted, "a node that is down is not answered")
                let address = Array(reply[(message.count - 22 + 12)...].prefix(4))
                let node = try #require(path.model.steering.nodes.first { $0.address(.v4)?.bytes == address })
                down.append(node.slot)
                try path.set(node.slot, NC_NODE_DOWN)
            }
            for slot in down.reversed() {
                try path.set(slot, NC_NODE_UP)
                let reply = try #require(client.ask(message))
                #expect(try reply == path.expected(message, from: LiveFastPath.known4))
                #expect(answers.remove(reply) != nil)
            }
        }

        @Test("twenty generations under traffic lose no query, and no answer mixes two of them")
        func publishUnderTraffic() throws {
            let path = try LiveFastPath("publish")
            let maps = try #require(path.maps)
            let other = try SampleModel(epoch: 2, variant: 1, displacement: 77)
            let resolvers = [path.resolver, ModelResolver(model: other.model, words: path.words)]
            let source = try #require(IPAddress(LiveFastPath.known4))
            let queries = SampleModel.names.flatMap { name in
                [nil, (IPAddress.v4(0x1203_0400), 24)].map { subnet in
                    let message = query(name, subnet: subnet)
                    return (message: message, answers: resolvers.map { answer($0, message, source) })
                }
            }
            let traffic = Traffic(try path.client(LiveFastPath.known4, to: SampleModel.service4), queries)
            for round in 0..<20 {
                let model = round % 2 == 0 ? other.model : path.model
                try maps.publish(
                    try FastPathImage(model, services: SampleModel.services, secret: UInt64(round) &* 0x9e37_79b9))
            }
            let tally = traffic.stop()
            #expect(tally.lost == 0)
            #expect(tally.wrong.isEmpty, "\(tally.wrong)")
            #expect(tally.byAnswer.allSatisfy { $0 > 100 }, "both generations answered: \(tally.byAnswer)")
            #expect(try path.counter("answered") == UInt64(tally.asked), "the program answered every query")
        }

        @Test("unchanged tables are one map in both slots, and replaced ones are freed")
        func sharing() throws {
            let path = try LiveFastPath("sharing")
            let maps = try #require(path.maps)
            let one = maps.tableBytes.reduce(0) { $0 + $1.bytes }
            try maps.publish(try FastPathImage(path.model, services: SampleModel.services, secret: 0x5ec2e7))
            #expect(maps.generation == 1)
            #expect(maps.tableBytes.reduce(0) { $0 + $1.bytes } == one)
            // Another secret: other buckets, the rest is shared until the flip and after it.
            let image = try FastPathImage(path.model, services: SampleModel.services, secret: 77)
            try maps.fill(image)
            #expect(maps.tableBytes.reduce(0) { $0 + $1.bytes } > one)
            let message = query("www.example.com", subnet: (.v4(0x1203_0400), 24))
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4), "before the flip")
            try maps.publish(image)
            #expect(maps.tableBytes.reduce(0) { $0 + $1.bytes } == one)
            #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
        }

        @Test("a model that does not fit is refused, and the one in use goes on answering")
        func excess() throws {
            let path = try LiveFastPath("excess")
            let maps = try #require(path.maps)
            let (model, first) = (path.model, try #require(path.model.tailored.first))
            let more = try (0..<200).map { number in
                TailoredName(
                    name: try DomainName("n\(number).example.com"), rule: first.rule, v4: first.v4, v6: first.v6,
                    pool: first.pool, policy: first.policy)
            }
            let large = ServingModel(
                epoch: 2, digest: 2, zones: model.zones, tailored: model.tailored + more, steering: model.steering,
                location: model.location, places: model.places)
            let image = try FastPathImage(large, services: SampleModel.services, secret: 77)
            #expect(throws: FastPathLimit.self) { try maps.publish(image) }
            let message = query("www.example.com", subnet: (.v4(0x1203_0400), 24))
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
            #expect(maps.generation == 0)
        }
    }
}

import BPFRuntime
import CFastPathABI
import FastPath
import Fixtures
import IPNetworks
import MapWriter
import Serving
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

        @Test("twenty generations under traffic: nothing is lost, and no answer mixes two of them")
        func publishUnderTraffic() throws {
            let path = try LiveFastPath("publish")
            let maps = try #require(path.maps)
            let other = try SampleModel(epoch: 2, variant: 1)
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
            #expect(tally.byResolver.allSatisfy { $0 > 100 }, "both generations answered: \(tally.byResolver)")
            #expect(try path.counter("answered") == UInt64(tally.asked), "the program answered every query")
        }
    }
}

import CFastPathABI
import DNSWire
import Fixtures
import IPNetworks
import Management
import ManagementTypes
import Resolution
import Steering
import Testing

@Suite("Why a client gets a node")
struct ExplanationTests {
    @Test("a node that is chosen without regard to its share says so")
    func shares() throws {
        let sample = try SampleModel()
        let up = nc_node_word(NC_NODE_UP.rawValue, 1, NC_TTL_STABLE, 0)
        for node in sample.model.steering.nodes { sample.words.store(node.slot, up) }
        let resolver = SteeringResolver(model: sample.model, words: sample.words)
        var reasons: Set<String> = []
        for client in 0..<64 {
            let question = Explanation.Question(
                name: try DomainName("www.example.com"), type: .a, client: .v4(0x1101_0000 + UInt32(client) << 8),
                subnet: nil)
            let choices = try Explanation(question: question, resolver: resolver, nodes: nil).outcome().choices
            let chosen = try #require(choices.last?.candidates.first { $0.chosen })
            let draw = try #require(chosen.draw)
            #expect(chosen.reason.hasPrefix("chosen although the client is outside its share") == (draw >= 1))
            reasons.insert(chosen.reason)
        }
        #expect(reasons.contains("chosen although the client is outside its share: no node takes the client"))
    }
}

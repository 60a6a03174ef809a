import Fixtures
import Foundation
import Testing

extension DaemonProcess {
    /// The digest, by which operators see that two servers serve the same.
    @Suite(.serialized) struct Digests {
        /// The strings of the TXT record at `digest.nearcast` in class CH.
        private func told(_ world: World) throws -> [String] {
            var query = QueryBuilder("digest.nearcast", type: 16)
            query.recordClass = 3
            let reply = try #require(try DNSClient(in: world.lab.client, to: World.server4).ask(query.message))
            try #require(reply[3] & 15 == 0 && reply[7] == 1, "\(reply)")
            // The record is the last: pointer 2, type and class 4, TTL 4, length 2, strings.
            var rest = reply.dropFirst(query.message.count + 12)
            var strings: [String] = []
            while let length = rest.first {
                strings.append(String(decoding: rest.dropFirst().prefix(Int(length)), as: UTF8.self))
                rest = rest.dropFirst(1 + Int(length))
            }
            return strings
        }

        private func slots(_ world: World) throws -> [String: Int] {
            let outcome = world.nearcast("node", "list", "--json")
            let nodes = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
            return Dictionary(
                uniqueKeysWithValues: nodes.compactMap { node in
                    (node["id"] as? String).flatMap { id in (node["slot"] as? Int).map { (id, $0) } }
                })
        }

        @Test("two daemons with the same files serve the same digest over DNS, even if they served other files before")
        func twoDaemons() async throws {
            let first = try World("digesta")
            let second = try World("digestb", fastPath: "{mode: off}")
            for world in [first, second] { world.configuration += "\nidentity: {digest: true}\n" }
            let configuration = second.configuration
            // A node that goes again leaves the others in other slots.
            try second.replace(
                "nodes:\n",
                "nodes:\n  - {id: old, addresses: [198.51.100.1], location: {latitude: 0, longitude: 0}}\n")
            var daemon = try await second.startReady()
            let other = try told(second)
            #expect(try await daemon.stop() == 0)
            second.configuration = configuration
            daemon = try await second.startReady()
            let neighbour = try await first.startReady()

            #expect(try slots(first) != slots(second))
            let digest = try #require(try first.object(first.nearcast("status", "--json"))["digest"] as? String)
            #expect(try second.object(second.nearcast("status", "--json"))["digest"] as? String == digest)
            #expect(try told(first) == ["digest=\(digest)", "epoch=1"])
            #expect(try told(second) == told(first))
            #expect(other != (try told(first)))
            #expect(try await daemon.stop() == 0)
            #expect(try await neighbour.stop() == 0)
        }
    }
}

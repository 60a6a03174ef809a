import BPFRuntime
import CFastPathABI
import FastPathDriver
import FastPathPlan
import Fixtures
import IPNetworks
import Resolution
import Steering
import Testing

extension Kernel {
    /// What stays when the process goes, and what the next one makes of it.
    @Suite(.serialized) @MainActor struct Pins {
        private let message = query("three.example.com", subnet: (.v4(0x1203_0400), 24))

        private static let records = [
            query("edges.example.com"), query("_pair._tcp.example.com", type: 33),
            query("www.example.com", type: 65, subnet: (.v4(0x1203_0400), 24)),
        ]

        @Test("the pinned program goes on answering without a process", arguments: XDPMode.allCases)
        func staticStability(mode: XDPMode) throws {
            let path = try LiveFastPath("stable-\(mode.rawValue)", mode)
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            try path.set(7, NC_NODE_DRAINED)
            path.release()
            // Also by the program behind the first one, which a map of programs leads to.
            for message in [message] + Self.records {
                for _ in 0..<30 {
                    #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
                }
            }
            let image = try FastPathImage(path.model, services: SampleModel.services, secret: 1)
            let words = try #require(try AdoptableState(of: path.pins, for: image)).states
            #expect(words.count == path.model.steering.nodes.count)
            for node in path.model.steering.nodes {
                for family in IPFamily.answered {
                    #expect(words[node.idHash]?[family] == path.words.word(node.slot, family))
                }
            }
        }

        @Test("a second program takes over under traffic, and no query is lost")
        func takeOver() throws {
            let path = try LiveFastPath("takeover")
            path.release()
            let expected = try path.expected(message, from: LiveFastPath.known4)
            let traffic = Traffic(
                try path.client(LiveFastPath.known4, to: SampleModel.service4), [(message, [expected])])
            var earlier: String?
            for _ in 0..<5 {
                let maps = try path.load()
                let attachment = try path.attach(maps, [.native, .generic])
                #expect(attachment.mode == .native)
                #expect(attachment.reason == "took over the link of an earlier run")
                try maps.removeEarlier()
                if let earlier { #expect(!BPFFileSystem.exists(earlier)) }
                #expect(BPFFileSystem.exists(maps.path))
                earlier = maps.path
            }
            eventually { traffic.tally.asked > 100 }
            let tally = traffic.stop()
            #expect(tally.lost == 0)
            #expect(tally.wrong.isEmpty, "\(tally.wrong)")
            #expect(tally.asked > 100)
            #expect(try BPFFileSystem.list(path.pins.root).count == 2, "one folder and one link")
        }

        @Test("a program that takes over shares node words and counters, and publishes in the unused generation")
        func adoptsState() throws {
            let path = try LiveFastPath("adopt")
            let image = try FastPathImage(path.model, services: SampleModel.services, secret: 1)
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
            let generation = try #require(path.maps).generation
            path.release()
            let adopted = try #require(try AdoptableState(of: path.pins, for: image))
            #expect(adopted.sharesWords && adopted.sharesCounters)
            let next = try FastPathMaps(sizedFor: image, adopting: adopted, pins: path.pins)
            #expect(next.idleGeneration == 1 - generation)
            #expect(try next.readCounters()[0] == 1)
            let slots = path.model.steering.nodes.map(\.slot)
            #expect(try next.readAnswers(of: slots).reduce(0, +) == 1)
            // The earlier program still answers, by the words that the next one's owner writes.
            for node in path.model.steering.nodes.prefix(3) {
                let word = nc_node_word(NC_NODE_DOWN.rawValue, 0, NC_TTL_STABLE, 0)
                next.words.store(node.slot, word)
                path.words.store(node.slot, word)
                #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
            }
            try next.publish(image)
            #expect(try path.attach(next, [.native]).mode == .native)
            try next.removeEarlier()
            #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
            #expect(try next.readCounters()[0] == 5)
            #expect(try next.readAnswers(of: slots).reduce(0, +) == 5)
        }

        @Test("node words are copied, not shared, if a slot has another node")
        func strangeSlots() throws {
            let path = try LiveFastPath("slots")
            let maps = try #require(path.maps)
            let image = try FastPathImage(path.model, services: SampleModel.services, secret: 1)
            let node = try #require(path.model.steering.nodes.first)
            maps.words.storeIDHash(node.slot, node.idHash ^ 1)
            let adopted = try #require(try AdoptableState(of: path.pins, for: image))
            #expect(!adopted.sharesWords && adopted.sharesCounters)
            let next = try FastPathMaps(sizedFor: image, adopting: adopted, pins: path.pins)
            #expect(try next.readAnswers(of: [node.slot]) == [0], "the answers of another node")
            #expect(adopted.states[node.idHash ^ 1]?[nil] == maps.words.word(node.slot, nil))
        }

        @Test("a link in another mode than configured is replaced")
        func otherMode() throws {
            let path = try LiveFastPath("modes", .native)
            let attachment = try path.attach(try #require(path.maps), [.generic])
            #expect(attachment.mode == .generic)
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4))
        }

        @Test("a link whose interface was removed and created again is replaced")
        func interfaceMadeAnew() throws {
            let path = try LiveFastPath("anew")
            nonisolated(unsafe) let maps = try #require(path.maps)  // used while this test waits
            func attach() throws -> FastPathDriver.Attachment {
                try path.lab.serverIP("link", "add", "ncx0", "type", "veth", "peer", "name", "ncx1")
                return try inNetworkNamespace(path.lab.server) {
                    try maps.attach(to: "ncx0", modes: [.native])
                }
            }
            #expect(try attach().mode == .native)
            try path.lab.serverIP("link", "delete", "ncx0")
            let second = try attach()
            #expect(second.mode == .native)
            #expect(second.reason == "the first mode asked for")
            #expect(try path.pins.linkedInterfaces() == [NetworkLab.serverInterface, "ncx0"])
        }

        @Test("a missing interface, and one with another program, are reported with the reason")
        func refused() throws {
            let path = try LiveFastPath("refused")
            nonisolated(unsafe) let maps = try #require(path.maps)  // used while this test waits
            let nowhere = try inNetworkNamespace(path.lab.server) {
                try maps.attach(to: "nowhere0", modes: [.native, .generic])
            }
            #expect(nowhere.mode == nil)
            #expect(nowhere.reason.contains("No such device"), "\(nowhere.reason)")
            // The client's side runs the lab's pass program.
            let taken = try inNetworkNamespace(path.lab.client) {
                try maps.attach(to: NetworkLab.clientInterface, modes: [.native, .generic])
            }
            #expect(taken.mode == nil)
            #expect(taken.reason.contains("no native mode") && taken.reason.contains("no generic mode"))
            #expect(try path.pins.linkedInterfaces() == [NetworkLab.serverInterface], "nothing was pinned")
        }

        @Test("removing everything detaches the program at once and leaves no pin")
        func removeAll() throws {
            let path = try LiveFastPath("remove")
            let client = try path.client(NetworkLab.client4, to: SampleModel.service4)
            #expect(client.ask(query("www.example.com")) != nil)
            let folder = try #require(path.maps).path
            let removed = try path.pins.removeAll()
            #expect(removed == ["\(path.pins.root)/link-\(NetworkLab.serverInterface)", folder])
            #expect(!BPFFileSystem.exists(path.pins.root))
            let link = try path.lab.serverIP("link", "show", NetworkLab.serverInterface)
            #expect(!link.contains("xdp"), "\(link)")
            #expect(client.ask(query("www.example.com")) == nil)
            #expect(try path.pins.removeAll().isEmpty, "a second time there is nothing to do")
        }
    }
}

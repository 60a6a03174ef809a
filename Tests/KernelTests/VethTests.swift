import BPFRuntime
import CFastPathABI
import Fixtures
import Glibc
import IPNetworks
import Testing

extension Kernel {
    /// Real sockets ask over a real interface; what comes back is the resolver's message, byte for byte.
    @Suite(.serialized) @MainActor struct Veth {
        /// Whether this kernel's veth gives every frame tail room, as that of 6.1 does; 6.12 and later copy frames into
        /// buffers without, and the program must grow at the head.
        private let hasTailRoom: Bool = {
            var system = utsname()
            guard uname(&system) == 0 else { return false }
            return withUnsafeBytes(of: &system.release) { $0.starts(with: Array("6.1.".utf8)) }
        }()

        private static let subnets: [(IPAddress, Int)?] = [
            nil, (.v4(0x1203_0400), 24), (.v4(0x1100_0000), 8), (.v6(UInt128(0x2400_0000_1200) << 80), 56),
        ]

        @Test(
            "every name is answered over both families, with a client subnet and without",
            arguments: XDPMode.allCases)
        func answers(mode: XDPMode) throws {
            let path = try LiveFastPath("answers-\(mode.rawValue)", mode)
            let sides = [
                (NetworkLab.client4, SampleModel.service4), (LiveFastPath.known4, SampleModel.service4),
                (NetworkLab.client6, SampleModel.service6), (LiveFastPath.known6, SampleModel.service6),
            ]
            var asked: UInt64 = 0
            for (source, server) in sides {
                let client = try path.client(source, to: server)
                for name in SampleModel.names {
                    for type: UInt16 in name == "v4only.example.com" ? [1] : [1, 28] {
                        for subnet in Self.subnets {
                            let message = query(name, type: type, id: UInt16(truncatingIfNeeded: asked), subnet: subnet)
                            let reply = client.ask(message)
                            #expect(
                                try reply == path.expected(message, from: source),
                                "\(name) type \(type) from \(source) with \(subnet.map { "\($0)" } ?? "no subnet")")
                            asked += 1
                        }
                    }
                }
            }
            #expect(try path.counter("answered") == asked)
            #expect(try path.counter("grew_tail") + path.counter("grew_head") == asked, "every answer is longer")
            #expect(try path.counter("pass_room") == 0)
            if mode == .native {
                #expect(try path.counter("grew_tail") > 0)
                #expect(try path.counter("grew_head") > 0 || hasTailRoom)
            }
        }

        @Test("the driver counts the replies that do not leave because the veth's peer runs no program")
        func unsent() throws {
            let path = try LiveFastPath("unsent")
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            let message = query("www.example.com")
            func lost() throws -> UInt64 {
                try inNetworkNamespace(path.lab.server) {
                    try #require(NetworkInterface(NetworkLab.serverInterface)?.unsentReplies)
                }
            }
            #expect(client.ask(message) != nil)
            #expect(try lost() == 0)
            try path.lab.clientIP("link", "set", "dev", NetworkLab.clientInterface, "xdp", "off")
            #expect(client.ask(message) == nil)
            #expect(try path.counter("answered") == 2)
            #expect(try lost() == 1)
        }

        @Test("frames of every length within a cache line are answered, growing at the tail or at the head")
        func everyLength() throws {
            let path = try LiveFastPath("lengths")
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            // Case is kept in the reply; an option's length moves the frame's end byte by byte.
            for length in 0...128 {
                let message = query("all.example.com", subnet: (.v6(UInt128(0x2400_0000_1200) << 80), length))
                #expect(try client.ask(message) == path.expected(message, from: LiveFastPath.known4), "/\(length)")
            }
            #expect(try path.counter("grew_head") > 0 || hasTailRoom)
        }

        @Test(
            "queries in a VLAN, and in one inside another, are answered there", arguments: XDPMode.allCases,
            [false, true])
        func tagged(mode: XDPMode, isDouble: Bool) throws {
            let path = try LiveFastPath("\(isDouble ? "qinq" : "vlan")-\(mode.rawValue)", mode)
            let link = try RawLink(in: path.lab.client, on: NetworkLab.clientInterface)
            let tags: [UInt8] = isDouble ? [0x88, 0xa8, 0, 7, 0x81, 0, 0x60, 5] : [0x81, 0, 0x60, 5]
            let sides = [
                (LiveFastPath.known4, SampleModel.service4), (LiveFastPath.known6, SampleModel.service6),
            ]
            var asked: UInt64 = 0
            for (source, server) in sides {
                for name in SampleModel.names {
                    for subnet in Self.subnets {
                        let message = query(name, id: UInt16(truncatingIfNeeded: asked), subnet: subnet)
                        var frame = Frame(from: try address(source), to: server.address, message)
                        frame.tags = tags
                        let reply = link.ask(frame) ?? link.lateReply(to: frame)
                        #expect(try reply?.message == path.expected(message, from: source), "\(name)")
                        #expect(reply?.tags == tags, "\(name)")
                        asked += 1
                    }
                }
            }
            #expect(try path.counter("answered") == asked)
        }

        @Test("queries to other addresses and ports are passed to the kernel")
        func onlyConfigured() throws {
            let path = try LiveFastPath("configured")
            try path.lab.serverIP("addr", "add", "192.0.2.54/24", "dev", NetworkLab.serverInterface)
            let others = [
                SocketEndpoint(address: .v4(0xc000_0236), port: 53),
                SocketEndpoint(address: .v4(0xc000_0235), port: 54),
            ]
            for other in others {
                let before = try path.counter("pass_other")
                let client = try path.client(NetworkLab.client4, to: other)
                #expect(client.ask(query("www.example.com")) == nil, "nobody listens at \(other)")
                #expect(try path.counter("pass_other") > before)
            }
            #expect(try path.counter("answered") == 0)
            for (source, server) in [
                (NetworkLab.client4, SampleModel.service4), (NetworkLab.client6, SampleModel.service6),
            ] {
                #expect(try path.client(source, to: server).ask(query("www.example.com")) != nil)
            }
            #expect(try path.counter("answered") == 2)
        }

        @Test("geo-steered records are answered with any set of usable nodes", arguments: XDPMode.allCases)
        func records(mode: XDPMode) throws {
            let path = try LiveFastPath("records-\(mode.rawValue)", mode)
            let client = try path.client(LiveFastPath.known4, to: SampleModel.service4)
            var asked: UInt64 = 0
            for down in -1..<6 {
                if down >= 0 { try path.set(down * 7 % 40, NC_NODE_DOWN) }
                for (name, type) in [
                    ("cdn", 1), ("edges", 28), ("led", 16), ("_pair._tcp", 33), ("www", 65), ("_dns", 64),
                ] as [(String, UInt16)] {
                    for subnet in [nil, (IPAddress.v4(0x1203_0400), 24)] {
                        let message = query("\(name).example.com", type: type, subnet: subnet)
                        #expect(
                            try client.ask(message) == path.expected(message, from: LiveFastPath.known4), "\(name)")
                        asked += 1
                    }
                }
            }
            #expect(try path.counter("records") == asked)
        }

        @Test("data and denials of a zone are answered, and other queries reach user space")
        func passedUp() throws {
            let path = try LiveFastPath("passed")
            let client = try path.client(NetworkLab.client4, to: SampleModel.service4)
            #expect(client.ask(query("host.example.com"))?[7] == 1)
            #expect(client.ask(query("none.example.com"))?[3] == 0x03)
            #expect(client.ask(query("host.example.com", type: 16)).map { Array($0[6..<10]) } == [0, 0, 0, 1])
            #expect(try path.counter("static") == 3)
            #expect(client.ask(query("x.dname.example.com")) == nil, "nobody listens")
            #expect(try path.counter("pass_name") == 1)
            #expect(client.ask(query("www.example.com", type: 255)) == nil)
            #expect(try path.counter("pass_question") == 1)
        }
    }
}

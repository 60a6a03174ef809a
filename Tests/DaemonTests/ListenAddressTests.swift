import Fixtures
import Foundation
import IPNetworks
import Testing

extension DaemonProcess {
    /// Addresses that come and go under a running daemon, and the way back from a detach.
    @Suite(.serialized) struct ListenAddresses {
        @Test("an address that comes after the start is served then, and a second daemon is refused before and after")
        func later() async throws {
            let world = try World("later", fastPath: "{mode: off}")
            try world.replace("\"192.0.2.53:53\"", "\"192.0.2.53:53\", \"192.0.2.99:53\"")
            let daemon = try await world.startReady()
            let message = "message=\"listen address is not on this host\" address=192.0.2.99"
            #expect(daemon.log.contains(message), "\(daemon.log)")
            #expect(try world.absent() == ["192.0.2.99"])
            #expect(try world.address() == Service.berlin)
            let later = SocketEndpoint(address: .v4(0xc000_0263), port: 53)
            for _ in 0..<2 {
                let control = world.configuration
                try world.replace("control: run/c.sock", "control: run/d.sock")
                try world.replace("\"192.0.2.53:53\", ", "")
                let second = try world.start(configuration: "c.yaml")
                #expect(try await second.ended() == 69, "\(second.log)")
                world.configuration = control
                try world.lab.serverIP("address", "add", "192.0.2.99/24", "dev", "ncs0")
                try await eventually("the address") { try world.absent() == [] }
                for stream in [false, true] {
                    let client = try DNSClient(in: world.lab.client, to: later, stream: stream)
                    let query = QueryBuilder("www.example.com", type: 1)
                    let reply = stream ? client.askStream(query.message) : client.ask(query.message)
                    #expect(reply != nil, "stream: \(stream)")
                }
                try world.lab.serverIP("address", "delete", "192.0.2.99/24", "dev", "ncs0")
                try await eventually("the news") { try world.absent() == ["192.0.2.99"] }
            }
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("`attach` is the way back from `detach`: node states and counters go on")
        func attach() async throws {
            let world = try World("attach")
            let daemon = try await world.startReady()
            #expect(try world.address() == Service.berlin)
            let answered = try world.answeredByProgram()
            #expect(world.nearcast("detach").status == 0)
            #expect(try !world.isAttached)
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            #expect(try world.address() == Service.newYork)
            let outcome = world.nearcast("attach")
            #expect(outcome.status == 0 && outcome.output.contains("native"), "\(outcome)")
            #expect(try world.isAttached)
            #expect(try world.address() == Service.newYork)
            #expect(try world.answeredByProgram() == answered + 1)
            #expect(world.nearcast("node", "set", "ber", "up").status == 0)
            #expect(try world.address() == Service.berlin)
            #expect(try world.answeredByProgram() == answered + 2)
            #expect(world.nearcast("attach").status == 0, "again, without effect")
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }
    }
}

extension World {
    fileprivate func absent() throws -> [String] {
        try object(nearcast("status", "--json"))["absentAddresses"] as? [String] ?? []
    }
}

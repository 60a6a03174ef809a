import Fixtures
import Foundation
import Testing

extension DaemonProcess {
    /// Cookies over the wire, and their secret on the disk.
    @Suite(.serialized) struct Cookies {
        /// The reply to a query for a name of the zone with a COOKIE option, and NSID asked for.
        private func ask(_ world: World, cookie: [UInt8]) throws -> [UInt8] {
            var query = QueryBuilder("ns1.example.com")
            query.opt = QueryBuilder.OPT()
            query.opt?.add(10, cookie)
            query.opt?.add(3, [])
            return try #require(try DNSClient(in: world.lab.client, to: World.server4).ask(query.message))
        }

        @Test("a cookie survives a restart: its secret is created once, readable only by the daemon")
        func secret() async throws {
            let world = try World("cook", fastPath: "{mode: off}")
            world.configuration += "\ncookies: {require: true}\nidentity: {nsid: fra1}\n"
            var daemon = try await world.startReady()
            let refused = try ask(world, cookie: Array(1...8))
            #expect(refused[3] & 15 == 7 && refused[7] == 0, "BADCOOKIE is 23: its lower four bits")
            let cookie = Array(refused.suffix(24))
            #expect(cookie.prefix(9) == [1, 2, 3, 4, 5, 6, 7, 8, 1])
            let identifier = Array(refused[(refused.count - 36)..<(refused.count - 28)])
            #expect(identifier == [0, 3, 0, 4] + Array("fra1".utf8))
            #expect(try await daemon.stop() == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: world.url("state/cookie-secret").path)
            #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == 33)

            daemon = try await world.startReady()
            let answered = try ask(world, cookie: cookie)
            #expect(answered[3] & 15 == 0 && answered[7] == 1 && Array(answered.suffix(24)) == cookie)
            #expect(try await daemon.stop() == 0)
        }

        @Test("secrets are rotated without a gap while the daemon serves, and a damaged file changes nothing")
        func rotation() async throws {
            let (old, new) = ("00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100")
            let world = try World("cookturn", fastPath: "{mode: off}")
            try world.write("secrets", old + "\n")
            world.configuration +=
                "\ncookies: {require: true, secret_file: secrets}\nidentity: {nsid: one}\nwatch: false\n"
            let daemon = try await world.startReady()
            let first = Array(try ask(world, cookie: Array(1...8)).suffix(24))
            // The new one makes cookies from now on, the old one still verifies.
            try world.replaceFile("secrets", "\(new)\n\(old)\n")
            try world.replace("nsid: one", "nsid: two")
            try world.saveConfiguration()
            let report = try world.object(world.nearcast("reload", "--json"))
            #expect(report["settings"] as? [String] == ["identity", "cookies"] && report["changed"] as? Bool == false)
            #expect(try world.epoch() == 1)
            let known = try ask(world, cookie: first)
            #expect(known[3] & 15 == 0 && known[7] == 1)
            #expect(known.count > 36 && String(decoding: known, as: UTF8.self).contains("two"))
            let second = Array(try ask(world, cookie: Array(1...8)).suffix(24))
            #expect(second != first)
            try world.replaceFile("secrets", "nothing\n")
            let refused = world.nearcast("reload")
            #expect(refused.status == 1 && refused.errors.contains("line 1 of"), "\(refused.errors)")
            #expect(try ask(world, cookie: second)[7] == 1)
            // The old one goes.
            try world.replaceFile("secrets", new + "\n")
            #expect(world.nearcast("reload").status == 0)
            #expect(try ask(world, cookie: first)[3] & 15 == 7)
            #expect(try ask(world, cookie: second)[7] == 1)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a damaged file of secrets is refused with its line, and the secret is not shown")
        func damaged() async throws {
            let world = try World("cookbad", fastPath: "{mode: off}")
            try world.write("secrets", "# shared\n00112233445566778899aabbccddeeff\n0123456789\n")
            world.configuration += "\ncookies: {secret_file: secrets}\n"
            let daemon = try world.start()
            #expect(try await daemon.ended() != 0)
            #expect(daemon.log.contains("line 3 of \(world.url("secrets").path) is not 32 hexadecimal digits"))
            #expect(daemon.log.contains(try world.place("secrets}")) && !daemon.log.contains("0123456789"))
        }
    }
}

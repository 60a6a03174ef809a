import Fixtures
import Foundation
import Testing

extension DaemonProcess {
    /// DNS over TLS, asked by another implementation.
    @Suite(.serialized) struct Encrypted {
        private func kdig(_ world: World, _ options: String...) throws -> String {
            let command = ["nsenter", "--net=\(world.lab.client)", "--", "kdig", "+tls", "+time=2", "+retry=0"]
            return try run(command + options + ["@192.0.2.53", "ns1.example.com", "A"])
        }

        @Test("queries over TLS are answered at port 853, with the current certificate")
        func answers() async throws {
            let world = try World("tls", fastPath: "{mode: off}")
            let files = try CertificateFiles("before")
            world.configuration +=
                "\ntls: {listen: [192.0.2.53], certificate: \(files.certificate), key: \(files.key)}"
            let daemon = try await world.startReady()
            #expect(daemon.log.contains("tls:192.0.2.53:853"))
            let first = try kdig(world, "-d")
            #expect(first.contains("192.0.2.53") && first.contains("NOERROR"), "\(first)")
            #expect(try kdig(world, "+short") == "192.0.2.53\n")
            try files.issue("after")
            let log = "certificate loaded"
            try await eventually("the new certificate") { daemon.log.contains(log) }
            #expect(try kdig(world, "+short") == "192.0.2.53\n")
            _ = try files.write("key.pem", "no key")
            try await eventually("the refusal of a bad key") {
                daemon.log.contains("certificate not reloaded, previous one stays in use")
            }
            #expect(try kdig(world, "+short") == "192.0.2.53\n")
            #expect(try await daemon.stop() == 0)
        }
    }
}

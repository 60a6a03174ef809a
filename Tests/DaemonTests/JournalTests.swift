import Fixtures
import Foundation
import Glibc
import Journal
import ManagementClient
import ManagementTypes
import StateStore
import Synchronization
import Testing

extension World {
    /// What the journal on the disk knows of a node.
    func kept(_ node: String) throws -> KeptNode? { try Journal.peek(folder: url("state").path)[node] }

    /// Numbers of a node's changes, oldest first.
    func numbers(of node: String) throws -> [UInt64] {
        let client = ControlClient(path: url("run/c.sock").path)
        return try client.history(of: node, limit: 10_000).map(\.sequence).reversed()
    }

    /// Runs a command in the mount namespace of the daemon.
    func mount(_ arguments: String...) throws {
        _ = try Fixtures.run(Array(inside("", []).prefix(2)) + ["--"] + arguments)
    }

    /// A file of the daemon's, behind what is mounted there.
    func mounted(_ file: String) throws -> URL {
        let holder = try #require(inside("", [])[1].split(separator: "/").dropFirst(2).first)
        return URL(filePath: "/proc/\(holder)/root\(url(file).path)")
    }
}

extension DaemonProcess {
    /// What outlives the daemon, and what becomes of it when the disk or the daemon fails.
    @Suite(.serialized) struct Journals {
        static let (berlin, newYork, singapore) = (Service.berlin, Service.newYork, Service.singapore)

        @Test("one request sets many nodes, all or none, and the answers follow")
        func many() async throws {
            let world = try World("many", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let refused = world.nearcast("node", "drain", "--pool", "web")
            #expect(refused.status == 1)
            #expect(
                refused.errors == """
                    nearcast: these 3 nodes are the last usable ones of pool web
                      bring another node up first, or use --force

                    """)
            #expect(try world.address() == Self.berlin)
            // Singapore has no IPv6 address.
            let half = world.nearcast("node", "drain", "ber", "nyc")
            #expect(half.errors.contains("these 2 nodes are the last usable ones of pool web (IPv6)"), "\(half)")
            let drained = world.nearcast(
                "node", "drain", "ber", "nyc", "--force", "--reason", "disks", "--author", "ann")
            #expect(
                drained.output.hasPrefix("2 nodes (2 changed): 2 drained; packets saw it after "), "\(drained)")
            #expect(try world.address() == Self.singapore)
            #expect(try world.kept("nyc")?.claims.first?.author == "uid 0 (root): ann, disks")
            #expect(world.nearcast("node", "drain", "ber", "nope").errors.contains("there is no node \"nope\""))
            #expect(world.nearcast("node", "drain", "--pool", "nope").errors.contains("the pools are web"))
            #expect(world.nearcast("node", "undrain", "--all").output.hasPrefix("3 nodes (2 changed): 3 up"))
            #expect(try world.address() == Self.berlin)
            #expect(world.nearcast("node", "drain", "ber", "--all").status != 0)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a damaged journal is renamed and reported, and the daemon answers all the same")
        func damaged() async throws {
            let world = try World("damaged", fastPath: "{mode: off}")
            try FileManager.default.createDirectory(at: world.url("state"), withIntermediateDirectories: true)
            try world.write("state/nearcast.db", String(repeating: "no database ", count: 1_000))
            let daemon = try await world.startReady()
            #expect(daemon.log.contains("nearcast.db is damaged"), "\(daemon.log)")
            let files = try FileManager.default.contentsOfDirectory(atPath: world.url("state").path)
            #expect(files.contains { $0.hasPrefix("nearcast.db.damaged-") })
            #expect(try world.address() == Self.berlin)
            #expect(world.nearcast("node", "drain", "ber").status == 0)
            #expect(try world.kept("ber")?.claims.map(\.state) == ["drained"])
            #expect(try await daemon.stop() == 0)
        }

        @Test("with a full disk overrides take effect and are reported as unsaved, and are saved once there is room")
        func full() async throws {
            let world = try World("fulldisk", fastPath: "{mode: off}")
            try FileManager.default.createDirectory(at: world.url("state"), withIntermediateDirectories: true)
            try world.mount("mount", "-t", "tmpfs", "-o", "size=1m", "none", world.url("state").path)
            let daemon = try await world.startReady()
            let ballast = try world.mounted("state/ballast")
            // Up to the last byte; what SQLite has set aside is used up first.
            _ = try? world.mount("dd", "if=/dev/zero", "of=\(world.url("state/ballast").path)", "bs=4k")
            var failure = ""
            for round in 0..<200 where failure.isEmpty {
                let author = String(repeating: "x", count: 200) + "\(round)"
                failure = world.nearcast("node", "drain", "ber", "--author", author).errors
            }
            #expect(failure.contains("is drained now, but that could not be kept"), "\(failure)")
            #expect(failure.contains("full"), "\(failure)")
            #expect(try world.address() == Self.newYork)
            #expect(daemon.log.contains("changes of node states wait in memory"))
            #expect(world.nearcast("node", "set", "nyc", "down").status == 1)
            #expect(try world.numbers(of: "nyc").count == 1)
            try FileManager.default.removeItem(at: ballast)
            try await eventually("the journal's recovery") {
                daemon.log.contains("nearcast.db can be written again")
            }
            try await daemon.crash()
            let again = try await world.startReady()
            #expect(try world.address() == Self.singapore)
            #expect(try world.numbers(of: "nyc").count == 1)
            #expect(try await again.stop() == 0)
        }

        @Test("with a read-only disk the daemon starts with the saved states, and overrides take effect")
        func readOnly() async throws {
            let world = try World("readonly", fastPath: "{mode: off}")
            var daemon = try await world.startReady()
            #expect(world.nearcast("node", "drain", "ber").status == 0)
            #expect(try await daemon.stop() == 0)
            let state = world.url("state").path
            try world.mount("mount", "--bind", state, state)
            try world.mount("mount", "-o", "remount,ro,bind", state)
            daemon = try await world.startReady()
            #expect(try world.address() == Self.newYork)
            #expect(daemon.log.contains("nearcast.db cannot be written"), "\(daemon.log)")
            #expect(world.nearcast("node", "set", "nyc", "down").errors.contains("could not be kept"))
            #expect(try world.address() == Self.singapore)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a kill amid changes loses no change that was reported as saved, and repeats no number")
        func killed() async throws {
            let world = try World("killed", fastPath: "{mode: off}")
            var seen: Set<UInt64> = []
            for round in 1...4 {
                let daemon = try await world.startReady()
                #expect(!daemon.log.contains("damaged"), "\(daemon.log)")
                let before = try world.numbers(of: "sin")
                #expect(seen.isSubset(of: before), "round \(round): changes are missing that were kept")
                #expect(before == Array(Set(before)).sorted())
                let (kept, answered) = try await world.changeUntil(killing: daemon, after: 25 * round)
                try #require(answered > 10)
                let new = kept.subtracting(before)
                #expect(new.min() ?? 0 > before.max() ?? 0)
                seen = new.union(before)
            }
            let daemon = try await world.startReady()
            #expect(try seen.isSubset(of: world.numbers(of: "sin")))
            #expect(try await daemon.stop() == 0)
        }
    }
}

/// Sets `sin` down and up without a pause, on a thread of its own, as long as it is answered.
private final class Wishes: Sendable {
    private struct Contents {
        var kept: Set<UInt64> = []
        var answered = 0
        var isOver = false
    }

    private let contents = Mutex(Contents())

    init(_ client: ControlClient) {
        Thread.detachNewThread {
            defer { self.contents.withLock { $0.isOver = true } }
            while true {
                let wish: NodeStateChange.Target = self.answered % 2 == 0 ? .down : .up
                guard (try? client.setNode("sin", to: NodeStateChange(state: wish))) != nil else { return }
                // A change is kept before its wish is answered.
                let latest = try? client.history(of: "sin", limit: 1).first?.sequence
                self.contents.withLock { contents in
                    contents.answered += 1
                    if let latest { contents.kept.insert(latest) }
                }
            }
        }
    }

    /// Numbers of the changes that were reported as saved.
    var kept: Set<UInt64> { contents.withLock { $0.kept } }
    var answered: Int { contents.withLock { $0.answered } }
    var isOver: Bool { contents.withLock { $0.isOver } }
}

extension World {
    /// Makes wishes until the daemon is killed, in the midst of one of them.
    ///
    /// - Returns: numbers of changes that were kept, and how many wishes were answered.
    fileprivate func changeUntil(
        killing daemon: Daemon, after answers: Int
    ) async throws -> (kept: Set<UInt64>, answered: Int) {
        let wishes = Wishes(ControlClient(path: url("run/c.sock").path))
        try await eventually("answers") { wishes.answered >= answers }
        try await daemon.crash()
        try await eventually("the end of the wishes") { wishes.isOver }
        return (wishes.kept, wishes.answered)
    }
}

import BPFRuntime
import Foundation
import LinuxSupport
import SystemPackage
import Testing

/// Two namespaces joined by a veth pair, `here` and `there`, without addresses.
final class Lab {
    let here = "nc-here-\(getpid())"
    let there = "nc-there-\(getpid())"
    let interface = "veth0"

    init() throws {
        for name in [here, there] {
            try run("ip", "netns", "add", name)
        }
        try run("ip", "-n", here, "link", "add", interface, "type", "veth", "peer", interface, "netns", there)
        for name in [here, there] {
            try run("ip", "-n", name, "link", "set", interface, "up")
        }
    }

    deinit {
        for name in [here, there] {
            do {
                try run("ip", "netns", "delete", name)
            } catch {
                Issue.record(error)
            }
        }
    }

    func path(_ name: String) -> String { "/run/netns/\(name)" }

    func attach(_ program: BPFProgram, _ mode: XDPMode) throws -> XDPLink {
        let interface = interface
        return try inNetworkNamespace(path(here)) {
            try XDPLink.create(program, interface: interface, mode: mode)
        }
    }

    /// Sends one raw frame from `there` to `here`.
    func send() throws {
        let interface = interface
        try inNetworkNamespace(path(there)) {
            let socket = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
            defer { close(socket) }
            // struct sockaddr_ll: family, protocol 0x88b5 (for experiments), interface index.
            var address = [UInt8](repeating: 0, count: 20)
            address.replaceSubrange(0..<2, with: bytes(UInt16(AF_PACKET)))
            address.replaceSubrange(2..<4, with: bytes(UInt16(0x88b5).bigEndian))
            address.replaceSubrange(4..<8, with: bytes(if_nametoindex(interface)))
            let frame = [UInt8](repeating: 0xff, count: 12) + [0x88, 0xb5] + [UInt8](repeating: 0, count: 50)
            let sent = address.withUnsafeBytes { address in
                sendto(
                    socket, frame, frame.count, 0, address.bindMemory(to: sockaddr.self).baseAddress,
                    socklen_t(address.count))
            }
            guard sent == frame.count else { throw SystemError.last("sendto") }
        }
    }
}

extension Root {
    @Suite struct Links {
        func count(_ object: BPFObject, _ index: UInt32) throws -> UInt32 {
            try object.map("counters").lookupPerCPU(index: index)
                .map { $0.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } }.reduce(0, +)
        }

        /// Sends frames until the counter moves.
        func arrives(_ lab: Lab, _ object: BPFObject, _ index: UInt32) throws -> Bool {
            let before = try count(object, index)
            for _ in 0..<5_000 {
                try lab.send()
                usleep(2000)
                if try count(object, index) > before { return true }
            }
            return false
        }

        @Test(
            "a program attached to a veth sees its frames, and is swapped while attached", arguments: XDPMode.allCases)
        func attachAndSwap(mode: XDPMode) throws {
            let lab = try Lab()
            let object = try Fixture.load()
            let pass = try object.program("pass")
            let other = try object.program("other")
            let link = try lab.attach(pass, mode)
            #expect(try link.information.programID == pass.id)
            #expect(try link.information.interfaceIndex > 0)
            #expect(try arrives(lab, object, 0))

            try link.update(other)
            #expect(try link.information.programID == other.id)
            #expect(try arrives(lab, object, 1))

            let listing = try run("ip", "-n", lab.here, "link", "show", lab.interface)
            #expect(listing.contains(mode == .native ? " xdp " : " xdpgeneric "), "\(listing)")
        }

        @Test("a link is removed with its last owner, unless it is pinned")
        func pin() throws {
            let lab = try Lab()
            let folder = try PinFolder("link")
            let object = try Fixture.load()
            _ = try lab.attach(object.program("pass"), .native)
            let id = try lab.attach(object.program("pass"), .native).pinned("\(folder.path)/link")

            #expect(throws: SystemError.self, "the pinned one holds the interface") {
                try lab.attach(object.program("other"), .native)
            }
            let link = try XDPLink.openPinned("\(folder.path)/link")
            #expect(link.id == id)
            try link.update(object.program("other"))
            #expect(try arrives(lab, object, 1))
            #expect(throws: SystemError.self) { try BPFMap.openPinned("\(folder.path)/link") }
        }

        @Test("a link whose interface was removed is defunct and cannot be used again")
        func removedInterface() throws {
            let lab = try Lab()
            let object = try Fixture.load()
            let link = try lab.attach(object.program("pass"), .native)
            #expect(try !link.isDefunct)
            try run("ip", "-n", lab.here, "link", "delete", lab.interface)
            #expect(try link.isDefunct)
            let error = try #require(throws: SystemError.self) { try link.update(object.program("other")) }
            #expect(error.errno == .noLink)
        }

        @Test("a detached link is defunct and leaves the interface free")
        func detach() throws {
            let lab = try Lab()
            let object = try Fixture.load()
            let link = try lab.attach(object.program("pass"), .generic)
            try link.detach()
            #expect(try link.isDefunct)
            _ = try lab.attach(object.program("pass"), .native)
        }

        @Test("an unknown interface is an error")
        func unknownInterface() throws {
            let program = try Fixture.load().program("pass")
            let error = try #require(throws: SystemError.self) {
                try XDPLink.create(program, interface: "nowhere0", mode: .native)
            }
            #expect(error.errno == .operationNotSupportedByDevice)
        }
    }

    @Suite struct Namespaces {
        @Test("work in a namespace sees its interfaces and leaves the caller's thread where it was")
        func isolation() throws {
            let lab = try Lab()
            let interface = lab.interface
            let before = try Self.currentNamespace()
            let (inside, index) = try inNetworkNamespace(lab.path(lab.here)) {
                (try Self.currentNamespace(), if_nametoindex(interface))
            }
            #expect(index > 0)
            #expect(inside != before)
            #expect(try Self.currentNamespace() == before)
        }

        private static func currentNamespace() throws -> String {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self/ns/net")
        }

        @Test("errors from inside a namespace, and a missing namespace, are thrown")
        func errors() throws {
            let lab = try Lab()
            let error = try #require(throws: SystemError.self) {
                try inNetworkNamespace(lab.path(lab.here)) { throw SystemError(call: "work", errno: .outOfDomain) }
            }
            #expect(error.errno == .outOfDomain)
            #expect(throws: SystemError.self) { try inNetworkNamespace("/run/netns/nowhere") {} }
            #expect(throws: SystemError.self, "a file that is no namespace") {
                try inNetworkNamespace("/etc/passwd") {}
            }
        }
    }
}

extension XDPLink {
    /// Pins the link and forgets it; its id.
    fileprivate func pinned(_ path: String) throws -> UInt32 {
        try pin(path)
        return id
    }
}

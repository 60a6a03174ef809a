import BPFRuntime
public import Foundation
import Glibc

/// A command that did not do what a test needs.
public struct CommandFailure: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Runs a command to its end; its standard output.
@discardableResult
public func run(_ command: [String], environment: [String: String] = [:]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw CommandFailure(description: "\(command.joined(separator: " ")) gave \(process.terminationStatus)")
    }
    return String(decoding: text, as: UTF8.self)
}

/// The network of `tools/lab`, under names of its own: a server's and a client's namespace, joined by a veth pair over
/// which XDP answers as on a card. Goes with its last reference.
public final class NetworkLab: Sendable {
    public static let serverInterface = "ncs0"
    public static let clientInterface = "ncc0"
    /// Addresses of both sides.
    public static let server4 = "192.0.2.53"
    public static let server6 = "2001:db8:53::53"
    public static let client4 = "192.0.2.1"
    public static let client6 = "2001:db8:53::1"

    /// Link address of the server's interface.
    public static let serverMAC: [UInt8] = [0x02, 0x6e, 0x63, 0x00, 0x00, 0x53]

    private let prefix: String
    /// Paths of the namespaces.
    public var server: String { "/run/netns/\(prefix)-srv" }
    public var client: String { "/run/netns/\(prefix)-cli" }

    /// The repository's folder.
    public static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// - Parameter name: distinguishes labs of one process.
    public init(_ name: String) throws {
        prefix = "nct\(getpid())\(name)"
        try lab("up")
    }

    deinit { _ = try? lab("down") }

    /// Lets the client side ask from further addresses.
    public func addClients(_ addresses: [String]) throws { try lab(["client"] + addresses) }

    /// Runs `ip` in the server's namespace.
    @discardableResult
    public func serverIP(_ arguments: String...) throws -> String {
        try Fixtures.run(["ip", "-n", "\(prefix)-srv"] + arguments)
    }

    /// Runs `ip` in the client's namespace.
    @discardableResult
    public func clientIP(_ arguments: String...) throws -> String {
        try Fixtures.run(["ip", "-n", "\(prefix)-cli"] + arguments)
    }

    private func lab(_ arguments: String) throws { try lab([arguments]) }

    private func lab(_ arguments: [String]) throws {
        // A cache of its own: the pass program may be compiled by others at this moment.
        let cache = FileManager.default.temporaryDirectory.appending(path: "\(prefix)-cache")
        defer { try? FileManager.default.removeItem(at: cache) }
        try Fixtures.run(
            [Self.repository.appending(path: "tools/lab/lab").path, "--prefix", prefix] + arguments,
            environment: ["NEARCAST_CACHE": cache.path])
    }
}

public import BPFRuntime
import Glibc
import LinuxSupport
import SystemPackage

/// How the program is attached to an interface, or why it is not.
public struct Attachment: Sendable {
    public let interface: String
    /// Nil: not attached.
    public let mode: XDPMode?
    /// Why this mode was used, or why no better one was.
    public let reason: String
    /// The program that an earlier run's link had before it was updated. Nil for a new link.
    let replacedProgram: UInt32?

    public init(interface: String, mode: XDPMode?, reason: String) {
        self.init(interface: interface, mode: mode, reason: reason, replacedProgram: nil)
    }

    /// The same, with another remark.
    public func with(_ remark: String) -> Attachment {
        with(reason: reason.isEmpty ? remark : "\(reason); \(remark)")
    }

    /// The same, for this reason.
    public func with(reason: String) -> Attachment {
        Attachment(interface: interface, mode: mode, reason: reason, replacedProgram: replacedProgram)
    }

    init(interface: String, mode: XDPMode?, reason: String, replacedProgram: UInt32?) {
        self.interface = interface
        self.mode = mode
        self.reason = reason
        self.replacedProgram = replacedProgram
    }
}

extension FastPathMaps {
    /// Attaches the program to an interface, in the first of `modes` that works: native if the driver supports it,
    /// otherwise generic. The link is pinned and outlives the daemon. An existing pinned link is updated, without a gap
    /// for packets.
    public func attach(to interface: String, modes: [XDPMode]) throws -> Attachment {
        let path = pins.linkPath(interface)
        if let attachment = try adopt(interface, path, modes) { return attachment }
        var refusals: [String] = []
        for mode in modes {
            do {
                let link = try XDPLink.create(program, interface: interface, mode: mode)
                try link.pin(path)
                let reason = refusals.isEmpty ? "the first mode asked for" : refusals.joined(separator: "; ")
                return Attachment(interface: interface, mode: mode, reason: reason)
            } catch let error as SystemError {
                refusals.append("no \(mode.rawValue) mode: \(error)")
            }
        }
        return Attachment(interface: interface, mode: nil, reason: refusals.joined(separator: "; "))
    }

    /// Updates a link of an earlier run, if it still holds its interface in a wanted mode.
    private func adopt(_ interface: String, _ path: String, _ modes: [XDPMode]) throws -> Attachment? {
        guard BPFFileSystem.exists(path) else { return nil }
        if let link = try? XDPLink.openPinned(path), let now = NetworkInterface(interface),
            let information = try? link.information, information.interfaceIndex == now.index,
            let mode = now.xdpMode, modes.contains(mode)
        {
            try link.update(program)
            return Attachment(
                interface: interface, mode: mode, reason: "took over the link of an earlier run",
                replacedProgram: information.programID)
        }
        try detach(from: interface)
        return nil
    }

    /// Returns adopted links to their former program, detaches this one from all other interfaces, and unpins it.
    /// Continues after failures, and throws the first.
    public func rollBack(_ attachments: [Attachment]) throws {
        var failure: (any Error)?
        for attachment in attachments where attachment.mode != nil {
            do { try rollBack(attachment) } catch { failure = failure ?? error }
        }
        do { try unpin() } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    private func rollBack(_ attachment: Attachment) throws {
        guard let replaced = attachment.replacedProgram, let earlier = try pins.folder(of: replaced) else {
            return try detach(from: attachment.interface)
        }
        try XDPLink.openPinned(pins.linkPath(attachment.interface))
            .update(BPFProgram.openPinned("\(earlier.path)/program"))
    }

    /// Whether this program's link still holds the interface. A link outlives a removed interface, and has no effect on
    /// another of the same name.
    ///
    /// - Returns: `nil` when the system cannot tell, for example without a free descriptor. Assume no change then.
    public func isAttached(to interface: String) -> Bool? {
        do {
            guard let now = try NetworkInterface.find(interface) else { return false }
            let information = try XDPLink.openPinned(pins.linkPath(interface)).information
            return information.interfaceIndex == now.index && information.programID == program.id
        } catch let error as SystemError {
            let shortages: Set<Errno> = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noBufferSpace]
            return shortages.contains(error.errno) ? nil : false
        } catch {
            return false
        }
    }

    /// Detaches the program from an interface.
    public func detach(from interface: String) throws {
        let path = pins.linkPath(interface)
        guard BPFFileSystem.exists(path) else { return }
        if let link = try? XDPLink.openPinned(path) { try? link.detach() }
        try BPFFileSystem.removeTree(path)
    }
}

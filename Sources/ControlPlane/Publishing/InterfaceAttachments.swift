import BPFRuntime
import ConfigurationModel
import FastPathDriver
import Logging

/// Where the program runs, where it should run, and why it does not.
///
/// An interface may disappear while the program is attached, and return without it. Where the kernel refuses the program,
/// it is tried again when the interface changes, and once a minute. Each change is handed to `note`.
struct InterfaceAttachments {
    typealias Note = (Event.Kind) -> Void

    private var attachments: [Attachment] = []
    /// Modes that were asked for, in order.
    private var modes: [XDPMode] = []
    /// Interfaces that the program is to run on, by name.
    private var interfaces: [String] = []
    /// Interfaces that disappeared while the program was attached.
    private var lost: Set<String> = []
    /// Interfaces that are there and down.
    private var isDown: Set<String> = []
    /// What was so when the kernel last refused the program at an interface.
    private var refusals: [String: Refusal] = [:]

    /// An interface as it was when the kernel refused the program.
    private struct Refusal {
        /// A kernel that refuses would most likely refuse every second.
        static let pause = Duration.seconds(60)

        let interface: NetworkInterface
        let isUp: Bool
        let at: ContinuousClock.Instant

        init(_ interface: NetworkInterface) { (self.interface, isUp, at) = (interface, interface.isUp, .now) }

        /// Whether the kernel may take the program now: the interface is another one, it went up or down, or enough time
        /// has passed.
        func isOver(_ now: NetworkInterface) -> Bool {
            now != interface || now.isUp != isUp || ContinuousClock.now - at >= Self.pause
        }
    }
    /// Whether the host's addresses could be read the last time.
    private var hasAddresses = true

    /// There is no program, for this reason.
    init(_ settings: FastPathSettings, without reason: String?) {
        guard let reason else { return }
        attachments = settings.interfaces.map { Attachment(interface: $0.name, mode: nil, reason: reason) }
    }

    /// As reports show them.
    var view: [Attachment] {
        attachments.map { isDown.contains($0.interface) ? $0.with("the interface is down") : $0 }
    }

    /// Remembers what the configuration wants.
    mutating func use(_ settings: FastPathSettings) {
        modes =
            switch settings.mode {
            case .native: [.native]
            case .generic: [.generic]
            case .auto, .off: [.native, .generic]
            }
        interfaces = settings.interfaces.map(\.name)
    }

    /// Puts the program on the interfaces, and takes it off the others.
    ///
    /// - Throws: when a mode was asked for by name and cannot be had.
    mutating func attach(_ maps: FastPathMaps, _ settings: FastPathSettings, _ note: Note) throws {
        attachments = []
        for interface in interfaces {
            let attachment = try attachment(of: maps, to: interface)
            attachments.append(attachment)
            note(.attachment(attachment))
            if attachment.mode == nil, settings.mode != .auto {
                throw StartupFailure(["fast path on \(interface): \(attachment.reason)"])
            }
        }
        for stray in try PinnedFastPath.standard.linkedInterfaces() where !interfaces.contains(stray) {
            try maps.detach(from: stray)
        }
    }

    private mutating func attachment(of maps: FastPathMaps, to interface: String) throws -> Attachment {
        guard NetworkInterface(interface) != nil else {
            lost.insert(interface)
            return Attachment(
                interface: interface, mode: nil,
                reason: "there is no interface \(interface) yet: the program is attached when it comes")
        }
        let attachment = try maps.attach(to: interface, modes: modes)
        noteRefusal(attachment)
        return attachment
    }

    private mutating func noteRefusal(_ attachment: Attachment) {
        let interface = attachment.interface
        refusals[interface] = attachment.mode == nil ? NetworkInterface(interface).map { Refusal($0) } : nil
    }

    /// Puts another program on the interfaces, after ``detach()``.
    ///
    /// - Throws: what makes links impossible altogether. Where an interface alone refuses, its attachment says why.
    mutating func attachAgain(_ maps: FastPathMaps, _ note: Note) throws {
        var found: [Attachment] = []
        do {
            for interface in interfaces {
                found.append(try attachment(of: maps, to: interface))
            }
        } catch {
            try? maps.rollBack(found)
            throw error
        }
        attachments = found
        for attachment in found { note(.attachment(attachment)) }
    }

    /// Tries the interfaces that lack the program now, whenever they were tried last.
    mutating func retry(_ maps: FastPathMaps, _ note: Note) {
        refusals = [:]
        for (index, attachment) in attachments.enumerated()
        where attachment.mode == nil && NetworkInterface(attachment.interface) != nil {
            lost.remove(attachment.interface)
            attachAgain(maps, at: index, note)
        }
    }

    /// Gives the links to another program.
    ///
    /// - Throws: when the kernel refuses; the links are as before then, and `next` has none.
    mutating func move(to next: FastPathMaps, _ note: Note) throws {
        var taken: [Attachment] = []
        do {
            for attachment in attachments where attachment.mode != nil {
                taken.append(try next.attach(to: attachment.interface, modes: modes))
            }
        } catch {
            try next.rollBack(taken)
            throw error
        }
        let byName = Dictionary(taken.map { ($0.interface, $0) }) { first, _ in first }
        for (index, earlier) in attachments.enumerated() {
            guard let now = byName[earlier.interface] else { continue }
            // A link that was updated is as it was, and the reason for its mode too.
            attachments[index] = now.mode == earlier.mode ? now.with(reason: earlier.reason) : now
            guard now.mode != earlier.mode else { continue }
            // It went away, or the kernel no longer takes the program there.
            if NetworkInterface(now.interface) == nil { lost.insert(now.interface) }
            noteRefusal(now)
            note(.attachment(now))
        }
    }

    /// Notes interfaces that went away or down, and attaches to those that came back.
    mutating func lookAfter(_ maps: FastPathMaps, _ note: Note) {
        for (index, attachment) in attachments.enumerated() {
            let interface = attachment.interface
            if attachment.mode != nil, maps.isAttached(to: interface) == false {
                lost.insert(interface)
                attachments[index] = Attachment(
                    interface: interface, mode: nil, reason: "the program is off: the interface went away")
                note(.attachment(attachments[index]))
            }
            guard let now = NetworkInterface(interface) else { continue }
            setDown(interface, !now.isUp, note)
            let isDue = lost.remove(interface) != nil || refusals[interface]?.isOver(now) == true
            if isDue { attachAgain(maps, at: index, note) }
        }
    }

    /// Takes links back that another process may have had.
    mutating func takeBack(_ maps: FastPathMaps, _ note: Note) {
        for (index, attachment) in attachments.enumerated()
        where attachment.mode != nil && maps.isAttached(to: attachment.interface) != true {
            attachAgain(maps, at: index, note)
        }
    }

    private mutating func attachAgain(_ maps: FastPathMaps, at index: Int, _ note: Note) {
        let before = attachments[index]
        var now: Attachment
        do { now = try maps.attach(to: before.interface, modes: modes) } catch {
            now = Attachment(interface: before.interface, mode: nil, reason: "\(error)")
        }
        noteRefusal(now)
        attachments[index] = now
        // The same refusal again is no news.
        if now.mode != nil || now.reason != before.reason { note(.attachment(now)) }
    }

    private mutating func setDown(_ interface: String, _ isDownNow: Bool, _ note: Note) {
        guard isDownNow != isDown.contains(interface) else { return }
        if isDownNow { isDown.insert(interface) } else { isDown.remove(interface) }
        note(.interface(interface, isUp: !isDownNow))
    }

    /// Tells the program which frames are for this host. When the kernel gives no addresses it keeps the last ones.
    mutating func setStation(_ maps: FastPathMaps, _ logger: Logger) {
        do {
            maps.setStation(of: interfaces, try HostAddresses())
            hasAddresses = true
        } catch {
            // Logged once: this is tried every second.
            if hasAddresses {
                logger.warning(
                    "cannot read host addresses: the program keeps the last known ones", metadata: ["error": "\(error)"]
                )
            }
            hasAddresses = false
        }
    }

    /// Undoes what ``attach(_:_:_:)`` did.
    mutating func rollBack(_ maps: FastPathMaps?) throws {
        defer { attachments = [] }
        try maps?.rollBack(attachments)
    }

    /// The program is off all interfaces.
    mutating func detach() {
        (lost, refusals) = ([], [:])
        attachments = attachments.map { Attachment(interface: $0.interface, mode: nil, reason: "detached") }
    }
}

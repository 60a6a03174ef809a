/// Identifies one run of a probe: the slot of its check, and a number that distinguishes it from the slot's other runs.
package struct ProbeID: Hashable, Sendable {
    /// Slots are reused once their check is gone.
    package let slot: UInt32
    let serial: UInt32

    init(slot: Int, serial: UInt32) {
        self.slot = UInt32(slot)
        self.serial = serial
    }

    /// The form in which epoll returns it with events.
    init(tag: UInt64) {
        slot = UInt32(tag >> 32)
        serial = UInt32(truncatingIfNeeded: tag)
    }

    var tag: UInt64 { UInt64(slot) << 32 | UInt64(serial) }
}

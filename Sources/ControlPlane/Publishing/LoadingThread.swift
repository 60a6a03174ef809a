import LinuxSupport

/// The thread that loads while others answer.
package enum LoadingThread {
    /// Lets threads that answer go first, for the rest of this thread's life. Without effect where the system refuses.
    ///
    /// Only for work that takes long anyway: on a busy machine a thread that gives way gets a tenth of a core, or waits
    /// for seconds, and what a change of one zone needs is less than a millisecond.
    static func giveWay() { Processors.giveWay() }

    /// Lets no more than a little of what loading took stay with the allocator. At the start.
    package static func keepLittleMemory() { FreedMemory.keepLittle() }

    /// Gives back to the system what the model before took.
    package static func trimMemory() { FreedMemory.giveBack() }
}

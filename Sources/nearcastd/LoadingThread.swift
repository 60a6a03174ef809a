import CLinux

/// The thread that loads while others answer.
enum LoadingThread {
    /// Lets threads that answer go first. Without effect where the system refuses.
    static func giveWay() { _ = linux_thread_give_way(10) }

    /// Gives back to the system what the model before took.
    static func trimMemory() { linux_trim_memory() }
}

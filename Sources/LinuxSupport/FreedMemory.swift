import CLinux

/// Returns freed memory to the system. Compiling a model takes much memory, and the allocator would keep most of it.
public enum FreedMemory {
    /// Makes the allocator keep little of it, for the life of the process.
    public static func keepLittle() { linux_keep_little_memory() }

    /// Returns the memory that the allocator has kept.
    public static func giveBack() { linux_trim_memory() }
}

import CLinux

/// What becomes of memory that was freed. A model that is compiled takes much and leaves most of it to the allocator.
public enum FreedMemory {
    /// Makes the allocator keep little of it, for the rest of the process's life.
    public static func keepLittle() { linux_keep_little_memory() }

    /// Gives back to the system what the allocator has kept.
    public static func giveBack() { linux_trim_memory() }
}

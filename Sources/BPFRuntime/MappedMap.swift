import CLinux
import Glibc
import LinuxSupport

/// The values of an array map as memory of this process, shared with the kernel: the program sees a store without a
/// system call.
///
/// Values are contiguous, each padded to a multiple of 8 bytes.
///
/// `@unchecked Sendable`: pointer and size never change, and the memory is accessed in two ways only. Words are loaded
/// and stored atomically. Bytes are written by `withBytes`, whose caller owns them until they are published (an inner
/// map before it is placed in an outer one, a record before the word that refers to it).
public final class MappedMap: @unchecked Sendable {
    /// Start of the first value.
    public let base: UnsafeMutableRawPointer
    /// Bytes of all values, including padding.
    public let count: Int
    /// Bytes from one value to the next.
    public let stride: Int
    private let mapped: Int
    private let isWritable: Bool

    init(_ map: BPFMap, writable: Bool) throws(SystemError) {
        stride = (map.valueSize + 7) & ~7
        count = stride * map.maxEntries
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        mapped = (count + page - 1) / page * page
        isWritable = writable
        let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
        guard let address = mmap(nil, mapped, protection, MAP_SHARED, map.descriptor.number, 0), address != MAP_FAILED
        else {
            throw SystemError.last("mmap \(map.name)")
        }
        base = address
    }

    deinit {
        munmap(base, mapped)
    }

    /// Stores the 64-bit word `index` (bytes 8 × index …) with release order: a program that reads the word sees
    /// everything this thread wrote before.
    public func storeWord(at index: Int, _ value: UInt64) {
        precondition(isWritable, "the map is mapped for reading")
        linux_store_release(word(index), value)
    }

    /// Loads the 64-bit word `index` with acquire order.
    public func loadWord(at index: Int) -> UInt64 {
        linux_load_acquire(word(index))
    }

    /// The memory: to fill what no program reads yet, and to read what no one writes.
    public func withBytes<T, E: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(E) -> T) throws(E) -> T {
        try body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    private func word(_ index: Int) -> UnsafeMutableRawPointer {
        precondition(index >= 0 && index < count / 8, "word \(index) of \(count / 8)")
        return base + 8 * index
    }
}

extension BPFMap {
    /// Maps the values of an array created with ``Flags/memoryMappable``.
    public func memoryMap(writable: Bool) throws -> MappedMap {
        try MappedMap(self, writable: writable)
    }
}

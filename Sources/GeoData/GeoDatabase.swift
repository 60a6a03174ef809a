import CMaxMindDB
import Glibc
import LinuxSupport
import SystemPackage

/// An open MMDB file. This type knows libmaxminddb; `GeoData` knows what the data means.
///
/// Not Sendable: one thread opens, reads and closes it.
final class GeoDatabase {
    let path: String
    // libmaxminddb keeps pointers to this structure in its results, so it must not move.
    let handle: UnsafeMutablePointer<MMDB_s>
    private var isOpen = true

    /// Opens a copy of the file. libmaxminddb maps the file, and truncating a mapped file, as `cp` over it does, kills
    /// the process (SIGBUS).
    init(path: String) throws(GeoDataError) {
        self.path = path
        let copy = try Self.copy(of: path)
        defer { close(copy) }
        handle = .allocate(capacity: 1)
        let status = MMDB_open("/proc/self/fd/\(copy)", UInt32(MMDB_MODE_MMAP), handle)
        guard status == MMDB_SUCCESS else {
            // libmaxminddb has released its resources. `deinit` still runs and must not close it again.
            isOpen = false
            throw GeoDataError(path: path, problem: Self.describe(status))
        }
    }

    deinit {
        if isOpen { MMDB_close(handle) }
        handle.deallocate()
    }

    /// Many times the size of the largest city databases. It is read into memory.
    private static let maximumBytes = 2 << 30

    private static func copy(of path: String) throws(GeoDataError) -> CInt {
        do throws(FileProblem) {
            return try RegularFile(path: path).copyIntoMemory(limit: maximumBytes)
        } catch .system(.noSuchFileOrDirectory) {
            throw GeoDataError(path: path, problem: describe(MMDB_FILE_OPEN_ERROR))
        } catch {
            throw GeoDataError(path: path, problem: "cannot be read (\(error)): \(error.remedy)")
        }
    }

    private static func describe(_ status: Int32) -> String {
        let text = String(cString: MMDB_strerror(status))
        return switch status {
        case MMDB_FILE_OPEN_ERROR: "cannot be opened: check that it exists and that nearcastd may read it"
        case MMDB_INVALID_METADATA_ERROR, MMDB_UNKNOWN_DATABASE_FORMAT_ERROR, MMDB_CORRUPT_SEARCH_TREE_ERROR:
            "is not a usable MMDB file (\(text)): fetch the database again"
        default: "cannot be read (\(text)): fetch the database again"
        }
    }

    var nodeCount: UInt32 { handle.pointee.metadata.node_count }
    var isIPv6: Bool { handle.pointee.metadata.ip_version == 6 }
    /// The node at which IPv4 addresses begin in an IPv6 tree: that of ::/96. From ``nodeCount`` on it is a record: all
    /// of IPv4 is one network, or none.
    var ipv4Node: UInt32 { handle.pointee.ipv4_start_node.node_value }
    var ipv4Depth: Int { Int(handle.pointee.ipv4_start_node.netmask) }
    /// The tree's record for all IPv4 addresses, if ``ipv4Node`` is not a node.
    var wholeIPv4: MMDB_entry_s? {
        var (addressError, status): (CInt, CInt) = (0, MMDB_SUCCESS)
        let result = MMDB_lookup_string(handle, "0.0.0.0", &addressError, &status)
        return addressError == 0 && status == MMDB_SUCCESS && result.found_entry ? result.entry : nil
    }
    /// Size of the data section.
    var dataBytes: UInt32 { handle.pointee.data_section_size }
    /// Seconds since 1970.
    var buildEpoch: UInt64 { handle.pointee.metadata.build_epoch }
    var type: String { handle.pointee.metadata.database_type.map { String(cString: $0) } ?? "" }

    func damaged(_ what: String) -> GeoDataError {
        GeoDataError(path: path, problem: "is damaged (\(what)): fetch the database again")
    }
}

/// Why a geographic database is refused. The one in use stays.
public struct GeoDataError: Error, CustomStringConvertible {
    public let path: String
    /// A message for the operator, with the remedy.
    public let problem: String

    public var description: String { "geographic database \(path) \(problem)" }
}

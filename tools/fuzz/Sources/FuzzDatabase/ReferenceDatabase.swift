import CMaxMindDB
import IPNetworks

/// Looks addresses up one by one, as libmaxminddb does, without the walk through the whole tree.
final class ReferenceDatabase {
    private let handle = UnsafeMutablePointer<MMDB_s>.allocate(capacity: 1)
    private let isOpen: Bool

    init?(path: String) {
        isOpen = MMDB_open(path, UInt32(MMDB_MODE_MMAP), handle) == MMDB_SUCCESS
        if !isOpen { return nil }
    }

    deinit {
        if isOpen { MMDB_close(handle) }
        handle.deallocate()
    }

    /// An IPv6 tree may end above ::/96: then what it says there is not said of IPv4.
    var hasIPv4: Bool { handle.pointee.metadata.ip_version == 4 || handle.pointee.ipv4_start_node.netmask == 96 }

    /// What the database says of the address, an empty text being none and ZZ no country.
    func find(_ address: IPAddress) -> (city: String?, country: String?) {
        var (addressError, status): (CInt, CInt) = (0, 0)
        var result = MMDB_lookup_string(handle, "\(address)", &addressError, &status)
        guard addressError == 0, status == MMDB_SUCCESS, result.found_entry else { return (nil, nil) }
        let country = Self.text(&result.entry, "country", "iso_code")
        return (Self.text(&result.entry, "city", "names", "en"), country == "ZZ" ? nil : country)
    }

    private static func text(_ entry: inout MMDB_entry_s, _ path: StaticString...) -> String? {
        var data = MMDB_entry_data_s()
        var keys: [UnsafePointer<CChar>?] = path.map {
            UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self)
        }
        keys.append(nil)
        guard MMDB_aget_value(&entry, &data, keys) == MMDB_SUCCESS, data.has_data,
            data.type == UInt32(MMDB_DATA_TYPE_UTF8_STRING), data.data_size > 0
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: data.utf8_string, count: Int(data.data_size))
        return String(decoding: bytes, as: UTF8.self)
    }
}

import CMaxMindDB

/// A path into data records in libmaxminddb's form: C strings, terminated by null.
final class RecordPath {
    private let keys: UnsafeMutablePointer<UnsafePointer<CChar>?>

    init(_ names: StaticString...) {
        keys = .allocate(capacity: names.count + 1)
        for (index, name) in names.enumerated() {
            keys[index] = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        }
        keys[names.count] = nil
    }

    deinit { keys.deallocate() }

    private func value(_ entry: MMDB_entry_s) -> MMDB_entry_data_s? {
        var entry = entry
        var data = MMDB_entry_data_s()
        guard MMDB_aget_value(&entry, &data, keys) == MMDB_SUCCESS, data.has_data else { return nil }
        return data
    }

    /// The text at the path, unless it is empty.
    func text(_ entry: MMDB_entry_s) -> String? {
        guard let data = value(entry), data.type == UInt32(MMDB_DATA_TYPE_UTF8_STRING), data.data_size > 0 else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(start: data.utf8_string, count: Int(data.data_size))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The whole number at the path, of up to 32 bits.
    func number(_ entry: MMDB_entry_s) -> UInt32? {
        guard let data = value(entry) else { return nil }
        return switch Int32(data.type) {
        case MMDB_DATA_TYPE_UINT16: UInt32(data.uint16)
        case MMDB_DATA_TYPE_UINT32: data.uint32
        default: nil
        }
    }

    /// Degrees as a double or float, converted to millionths, half away from zero. Nil outside ±`limit`.
    func microdegrees(_ entry: MMDB_entry_s, limit: Double) -> Int32? {
        guard let data = value(entry) else { return nil }
        let degrees: Double
        switch Int32(data.type) {
        case MMDB_DATA_TYPE_DOUBLE: degrees = data.double_value
        case MMDB_DATA_TYPE_FLOAT: degrees = Double(data.float_value)
        default: return nil
        }
        guard degrees >= -limit, degrees <= limit else { return nil }
        return Int32(degrees * 1_000_000 + (degrees < 0 ? -0.5 : 0.5))
    }
}

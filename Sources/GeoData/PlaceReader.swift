import CMaxMindDB
import Location

/// Reads what a data record says of its place.
///
/// Field names are those of MaxMind's City databases, which DB-IP's follow.
final class PlaceReader {
    /// A path into a record, as libmaxminddb wants it: C strings, ended by null.
    private struct Path {
        let keys: UnsafeMutablePointer<UnsafePointer<CChar>?>

        init(_ names: StaticString...) {
            keys = .allocate(capacity: names.count + 1)
            for (index, name) in names.enumerated() {
                keys[index] = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            }
            keys[names.count] = nil
        }
    }

    private let latitude = Path("location", "latitude")
    private let longitude = Path("location", "longitude")
    private let country = Path("country", "iso_code")
    private let continent = Path("continent", "code")
    private let regionCode = Path("subdivisions", "0", "iso_code")
    private let regionName = Path("subdivisions", "0", "names", "en")
    private let city = Path("city", "names", "en")

    deinit {
        for path in [latitude, longitude, country, continent, regionCode, regionName, city] {
            path.keys.deallocate()
        }
    }

    func place(_ entry: MMDB_entry_s) -> Place {
        var entry = entry
        var coordinates: Coordinates?
        if let latitude = microdegrees(&entry, latitude, limit: 90),
            let longitude = microdegrees(&entry, longitude, limit: 180)
        {
            coordinates = Coordinates(latitude: latitude, longitude: longitude)
        }
        var country = text(&entry, country)
        // DB-IP's code for "unknown".
        if country == "ZZ" { country = nil }
        var continent = text(&entry, continent)
        if continent == "ZZ" { continent = nil }
        return Place(
            coordinates: coordinates, country: country,
            region: text(&entry, regionCode) ?? text(&entry, regionName), continent: continent,
            city: text(&entry, city))
    }

    private func value(_ entry: inout MMDB_entry_s, _ path: Path) -> MMDB_entry_data_s? {
        var data = MMDB_entry_data_s()
        guard MMDB_aget_value(&entry, &data, path.keys) == MMDB_SUCCESS, data.has_data else { return nil }
        return data
    }

    private func text(_ entry: inout MMDB_entry_s, _ path: Path) -> String? {
        guard let data = value(&entry, path), data.type == UInt32(MMDB_DATA_TYPE_UTF8_STRING), data.data_size > 0 else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(start: data.utf8_string, count: Int(data.data_size))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Degrees, as a double or a float, to millionths, half away from zero; nil outside ±`limit`.
    private func microdegrees(_ entry: inout MMDB_entry_s, _ path: Path, limit: Double) -> Int32? {
        guard let data = value(&entry, path) else { return nil }
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

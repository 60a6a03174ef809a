import CMaxMindDB
import Location

/// Reads the place from a data record.
///
/// Field names are those of MaxMind's City databases, which DB-IP uses too.
struct PlaceReader {
    private let latitude = RecordPath("location", "latitude")
    private let longitude = RecordPath("location", "longitude")
    private let country = RecordPath("country", "iso_code")
    private let continent = RecordPath("continent", "code")
    private let regionCode = RecordPath("subdivisions", "0", "iso_code")
    private let regionName = RecordPath("subdivisions", "0", "names", "en")
    private let city = RecordPath("city", "names", "en")

    func place(_ entry: MMDB_entry_s) -> Place {
        var coordinates: Coordinates?
        if let latitude = latitude.microdegrees(entry, limit: 90),
            let longitude = longitude.microdegrees(entry, limit: 180)
        {
            coordinates = Coordinates(latitude: latitude, longitude: longitude)
        }
        return Place(
            coordinates: coordinates, country: known(country.text(entry)),
            region: regionCode.text(entry) ?? regionName.text(entry), continent: known(continent.text(entry)),
            city: city.text(entry))
    }

    /// DB-IP's code for "unknown" is ZZ.
    private func known(_ code: String?) -> String? { code == "ZZ" ? nil : code }
}

/// Finds places by name; if several have the name, the largest.
///
/// Names are compared without regard to case. For cities, a part in parentheses at the end is ignored too.
public struct PlaceDirectory {
    private struct Key: Hashable {
        let country: UInt32
        /// 0 for any.
        var region: UInt32 = 0
        /// 0 for any.
        var city: UInt32 = 0
    }

    private let places: PlaceTable
    /// Folded names → their numbers.
    private var names: [String: UInt32] = [:]
    /// The lowest number of a place with coordinates. Places are numbered by size, so it is the largest.
    private var largest: [Key: Int] = [:]

    public init(_ places: PlaceTable) {
        self.places = places
        var folded: [UInt32] = []
        var cities: [UInt32] = []
        for string in places.strings {
            folded.append(number(Self.folded(string)))
            cities.append(number(Self.cityName(string)))
        }
        for (place, row) in places.rows.enumerated() where row.isLocated && row.country != 0 {
            let country = folded[Int(row.country)]
            let region = row.region == 0 ? 0 : folded[Int(row.region)]
            enter(Key(country: country), place)
            if region != 0 { enter(Key(country: country, region: region), place) }
            guard row.city != 0 else { continue }
            for city in Set([folded[Int(row.city)], cities[Int(row.city)]]) {
                enter(Key(country: country, city: city), place)
                if region != 0 { enter(Key(country: country, region: region, city: city), place) }
            }
        }
    }

    private mutating func number(_ name: String) -> UInt32 {
        if let known = names[name] { return known }
        let number = UInt32(names.count + 1)
        names[name] = number
        return number
    }

    private mutating func enter(_ key: Key, _ place: Int) {
        if largest[key] == nil { largest[key] = place }
    }

    /// The place of a city, in the given region if the database knows that combination; otherwise the largest place of
    /// the region, else of the country. Names that are not found are left out, except the city's.
    ///
    /// - Parameters:
    ///   - country: ISO 3166-1 alpha-2.
    ///   - region: ISO 3166-2, as `US-CA`, or the name that the database has for it.
    /// - Returns: nil when the database has no coordinates in the country.
    public func find(country: String, region: String?, city: String?) -> Place? {
        guard let country = names[Self.folded(country)], let ofCountry = largest[Key(country: country)] else {
            return nil
        }
        let regionKey = region.flatMap { self.region($0, of: country) }
        if let city {
            for name in [Self.folded(city), Self.cityName(city)] {
                guard let name = names[name] else { continue }
                var key = Key(country: country, city: name)
                if let regionKey { key.region = regionKey }
                if let found = largest[key] { return places[found] }
            }
        }
        var place = places[regionKey.flatMap { largest[Key(country: country, region: $0)] } ?? ofCountry]
        if regionKey == nil { place.region = nil }
        place.city = city
        return place
    }

    /// The number of a region of the country: by the full code, the code without the country, or the name.
    private func region(_ text: String, of country: UInt32) -> UInt32? {
        let whole = Self.folded(text)
        let code = whole.firstIndex(of: "-").map { String(whole[whole.index(after: $0)...]) }
        return [whole, code].compactMap { $0.flatMap { names[$0] } }
            .first { largest[Key(country: country, region: $0)] != nil }
    }

    private static func folded(_ text: String) -> String { text.lowercased() }

    private static func cityName(_ text: String) -> String {
        guard let parenthesis = text.utf8.firstIndex(of: UInt8(ascii: "(")), parenthesis > text.startIndex else {
            return folded(text)
        }
        let name = text[..<parenthesis]
        return folded(String(name.last == " " ? name.dropLast() : name))
    }
}

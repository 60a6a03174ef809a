import Location
import Testing

@Suite("Locations by name")
struct PlaceDirectoryTests {
    private let directory = PlaceDirectory(
        PlaceTable([
            .unknown,
            Place(
                coordinates: Coordinates(latitude: 1, longitude: 0), country: "US", region: "New York", city: "New York"
            ),
            Place(
                coordinates: Coordinates(latitude: 2, longitude: 0), country: "US", region: "California",
                city: "Springfield"),
            Place(
                coordinates: Coordinates(latitude: 3, longitude: 0), country: "US", region: "Illinois",
                city: "Springfield"),
            Place(country: "US", region: "Utah", city: "Provo"),
            Place(
                coordinates: Coordinates(latitude: 4, longitude: 0), country: "CA", region: "QC", continent: "NA",
                city: "Montréal (Ville-Marie)"),
            Place(coordinates: Coordinates(latitude: 5, longitude: 0), country: "CA", region: "ON", city: "Ottawa"),
        ]))

    @Test(
        "a city is found in its region, or else the largest location of the region, or of the country",
        arguments: [
            ("US", nil, nil, 1), ("us", "US-CA", "Springfield", 2), ("US", "Illinois", "springfield", 3),
            ("US", "Illinois", "New York", 3), ("CA", "CA-ON", nil, 5), ("CA", "on", "Hull", 5),
            ("CA", nil, "montréal", 4), ("CA", "CA-QC", "Montréal (Ville-Marie)", 4), ("CA", "CA-XX", "Nowhere", 4),
            ("US", nil, "Provo", 1),
        ] as [(String, String?, String?, Int32)])
    func found(country: String, region: String?, city: String?, latitude: Int32) throws {
        let place = try #require(directory.find(country: country, region: region, city: city))
        #expect(place.coordinates?.latitude == latitude)
    }

    @Test("a region has the name of the database, and an unknown region has none")
    func regions() throws {
        #expect(directory.find(country: "CA", region: "CA-QC", city: nil)?.region == "QC")
        #expect(directory.find(country: "US", region: "US-IL", city: "Springfield")?.region == "California")
        let elsewhere = try #require(directory.find(country: "US", region: "US-TX", city: "Austin"))
        #expect(elsewhere.region == nil)
        #expect(elsewhere.city == "Austin")
        #expect(elsewhere.country == "US")
    }

    @Test("a country without coordinates is not found")
    func unknownCountry() {
        #expect(directory.find(country: "FR", region: nil, city: nil) == nil)
        #expect(directory.find(country: "Ottawa", region: nil, city: nil) == nil)
    }
}

import ConfigurationModel
import ConfigurationYAML
import IPNetworks
import Testing

@Suite("The settings of geo")
struct GeoSettingsTests {
    private func geo(_ text: String) throws -> GeoSettings {
        try ServerConfiguration.parse(yaml: ProblemCase.base + text, file: "n.yaml", baseFolder: "/etc/nearcast").geo
    }

    @Test("all have defaults but the paths of further files")
    func defaults() throws {
        let geo = try geo("geo: {}\n")
        #expect(geo.paths == ["/var/lib/nearcast/city.mmdb"])
        #expect(geo.minimumBuild == nil)
        #expect(geo.overrides.isEmpty && geo.asns.isEmpty)
    }

    @Test("give files, places and labels")
    func complete() throws {
        let geo = try geo(
            """
            geo:
              database: city.mmdb
              minimum_build: 2023-01-01
              geofeed: feed.csv
              asn_database: /srv/asn.mmdb
              asns: [{asn: 64500, label: partner}]
              overrides:
                - {prefix: 10.0.0.0/8, latitude: 50.11, longitude: 8.68, country: de, region: Hesse, continent: eu, city: Frankfurt}
                - {prefix: "2001:db8::1", label: lab.1}
            """)
        #expect(geo.paths == ["/etc/nearcast/city.mmdb", "/etc/nearcast/feed.csv", "/srv/asn.mmdb"])
        #expect(geo.minimumBuild?.day.secondsSince1970 == 1_672_531_200)
        #expect(geo.overrides.map(\.prefix) == [IPPrefix("10.0.0.0/8"), IPPrefix("2001:db8::1/128")])
        let place = geo.overrides[0].place
        #expect(place.latitudeMicrodegrees == 50_110_000 && place.longitudeMicrodegrees == 8_680_000)
        #expect([place.country, place.region, place.continent, place.city] == ["DE", "Hesse", "EU", "Frankfurt"])
        #expect(geo.overrides[1].place.label == "lab.1" && geo.overrides[1].place.latitudeMicrodegrees == nil)
        #expect(geo.asns.map(\.asn) == [64500])
    }
}

@Suite("Days")
struct CalendarDayTests {
    @Test(
        "a day is the same in words and in seconds",
        arguments: [
            ("1970-01-01", 0), ("1999-12-31", 10956), ("2000-02-29", 11016), ("2000-03-01", 11017),
            ("2023-04-01", 19448),
            ("2024-02-29", 19782), ("2100-03-01", 47541), ("9999-12-31", 2_932_896),
        ] as [(String, UInt64)])
    func sameDay(text: String, days: UInt64) throws {
        #expect(CalendarDay(text)?.secondsSince1970 == days * 86400)
        #expect(CalendarDay(secondsSince1970: days * 86400).description == text)
        #expect(CalendarDay(secondsSince1970: days * 86400 + 86399).description == text)
    }

    @Test(
        "what is no day is not read",
        arguments: [
            "", "2023", "2023-1-1", "2023-13-01", "2023-02-29", "2100-02-29", "1969-12-31", "2023-01-00", "+023-01-01",
            "2023-01-011",
        ])
    func noDay(text: String) { #expect(CalendarDay(text) == nil) }
}

import ConfigurationModel
import ConfigurationYAML
import IPNetworks
import Testing

@Suite("The settings of geo")
struct GeoSettingsTests {
    private func geo(_ text: String) throws -> GeoSettings {
        try ServerConfiguration.parse(yaml: ProblemCase.base + text, file: "n.yaml", baseFolder: "/etc/nearcast").geo
    }

    @Test("all have defaults, except paths of further files")
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

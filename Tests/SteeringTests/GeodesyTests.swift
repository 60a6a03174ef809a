import Location
import Steering
import Testing

@Suite("Geodesy")
struct GeodesyTests {
    @Test(
        "distances are those of the haversine formula on the mean sphere, to a metre",
        arguments: [
            // Berlin, Paris; London, Sydney; the poles; across the date line. Kilometres by an independent program.
            (52_520_000, 13_405_000, 48_856_600, 2_352_200, 877.4645),
            (51_507_400, -127_800, -33_868_800, 151_209_300, 16_993.9569),
            (90_000_000, 0, -90_000_000, 0, 20_015.1144),
            (0, 179_500_000, 0, -179_500_000, 111.1951),
        ] as [(Int32, Int32, Int32, Int32, Double)])
    func distance(latA: Int32, lonA: Int32, latB: Int32, lonB: Int32, kilometres: Double) {
        let chord = SpherePoint(Coordinates(latitude: latA, longitude: lonA))
            .squaredChord(to: SpherePoint(Coordinates(latitude: latB, longitude: lonB)))
        #expect(abs(GreatCircle.metres(squaredChord: chord) / 1000 - kilometres) < 0.001)
    }

    @Test(
        "points on the sphere are the same integers on every machine",
        arguments: [
            (0, 0, 1 << 30, 0, 0), (90_000_000, 0, 0, 0, 1 << 30), (0, 90_000_000, 0, 1 << 30, 0),
            (0, -180_000_000, -(1 << 30), 0, 0), (-90_000_000, 12_345_678, 0, 0, -(1 << 30)),
            (30_000_000, 60_000_000, 464_943_848, 805_306_368, 536_870_912),
        ] as [(Int32, Int32, Int64, Int64, Int64)])
    func vectors(latitude: Int32, longitude: Int32, x: Int64, y: Int64, z: Int64) {
        let point = SpherePoint(Coordinates(latitude: latitude, longitude: longitude))
        #expect((point.x, point.y, point.z) == (x, y, z))
    }
}

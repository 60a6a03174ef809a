import FuzzSupport
import GeoData
import IPNetworks
import Location

private let file = NamelessFile()

/// The bytes as a geographic database, and as one of autonomous systems.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    file.hold(Array(UnsafeRawBufferPointer(start: data, count: count)))
    do throws(GeoDataError) {
        let read = try GeoData.load(path: file.path)
        check(read.v4, places: read.places.count)
        check(read.v6, places: read.places.count)
        checkPlaces(read)
        checkLookups(read)
    } catch { check(error) }
    do throws(GeoDataError) {
        let read = try ASNData.load(path: file.path)
        check(read.v4, places: .max)
        check(read.v6, places: .max)
        let known = Set(read.v4.places + read.v6.places)
        require(known.contains { $0 != 0 }, "a database of no autonomous systems")
        require(read.missing(of: known).isEmpty, "systems that it has are missing")
    } catch { check(error) }
    return 0
}

private func check(_ error: GeoDataError) {
    require(error.path == file.path, "\(error.path): another file")
    requireReadable(error.problem)
}

/// Ranges from the first address on, in order, each of another place than the one before.
private func check<Address>(_ ranges: PlaceRanges<Address>, places: Int) {
    require(ranges.starts.first == 0 && ranges.starts.count == ranges.places.count, "the ranges do not begin at 0")
    require(zip(ranges.starts, ranges.starts.dropFirst()).allSatisfy { $0 < $1 }, "the ranges are not in order")
    require(zip(ranges.places, ranges.places.dropFirst()).allSatisfy { $0 != $1 }, "two ranges of one place")
    require(ranges.places.allSatisfy { Int($0) < places }, "a range of a place that there is not")
}

/// Places are distinct, somewhere on the earth, and each but the unknown one has an address.
private func checkPlaces(_ data: GeoData) {
    let places = (0..<data.places.count).map { data.places[$0] }
    require(places[0] == .unknown, "place 0 is known")
    require(Set(places).count == places.count, "a place is there twice")
    require(places.contains { $0.coordinates != nil }, "no place has coordinates")
    for coordinates in places.compactMap(\.coordinates) {
        require(abs(Int(coordinates.latitude)) <= 90_000_000, "\(coordinates): no latitude")
        require(abs(Int(coordinates.longitude)) <= 180_000_000, "\(coordinates): no longitude")
    }
    let used = Set(data.v4.places + data.v6.places)
    require((1..<places.count).allSatisfy { used.contains(UInt32($0)) }, "a place without an address")
    require(data.networks >= used.subtracting([0]).count, "more places than networks")
}

/// Where ranges begin, libmaxminddb's own look-up of the address finds the same record.
private func checkLookups(_ data: GeoData) {
    guard let reference = ReferenceDatabase(path: file.path) else { fatalError("libmaxminddb cannot open it again") }
    for (start, place) in zip(data.v4.starts, data.v4.places).prefix(64) where reference.hasIPv4 {
        check(.v4(start), data.places[Int(place)], reference)
    }
    // Networks that stand for IPv4 are left unknown.
    for (start, place) in zip(data.v6.starts, data.v6.places).prefix(64) where place != 0 {
        check(.v6(start), data.places[Int(place)], reference)
    }
}

private func check(_ address: IPAddress, _ place: Place, _ reference: ReferenceDatabase) {
    let found = reference.find(address)
    require(found.city == place.city && found.country == place.country, "\(address): \(place), looked up \(found)")
}

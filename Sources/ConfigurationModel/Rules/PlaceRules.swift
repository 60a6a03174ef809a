/// One of the two coordinates.
enum Coordinate: String {
    case latitude, longitude

    /// In whole degrees.
    var limit: Int32 { self == .latitude ? 90 : 180 }
    var example: String { self == .latitude ? "latitude: 50.11" : "longitude: 8.68" }
}

/// Names of places, and coordinates.
protocol PlaceRules: ValueRules {}

extension PlaceRules {
    // MARK: - Names of places

    /// A label chosen by the operator. `nil` if it is absent or was reported.
    func label(_ declared: Declared<String>, _ name: @autoclosure Words) -> String? {
        guard let line = line(declared, name(), Expected.word) else { return nil }
        guard Spelling.isID(line.value) else {
            report(line.location, "\(name()) is \(line.quoted), expected \(Expected.word)", remedy: "rename it")
            return nil
        }
        return line.value
    }

    /// In upper case. `nil` if it is absent or was reported.
    func country(_ declared: Declared<String>, _ name: @autoclosure Words) -> String? {
        guard let line = line(declared, name(), Expected.country) else { return nil }
        let code = line.value.uppercased()
        guard CountryCodes.all.contains(code) else {
            report(
                line.location, "\(name()) is \(line.quoted), expected \(Expected.country)",
                remedy: code == "UK" ? "write GB" : code.utf8.count == 2 ? "correct it" : "write it like DE")
            return nil
        }
        return code
    }

    /// In upper case. `nil` if it is absent or was reported.
    func continent(_ declared: Declared<String>, _ name: @autoclosure Words) -> String? {
        guard let line = line(declared, name(), Expected.continent) else { return nil }
        let code = line.value.uppercased()
        guard CountryCodes.continents.contains(code) else {
            report(
                line.location, "\(name()) is \(line.quoted), expected \(Expected.continent)",
                remedy: "use the continent's code")
            return nil
        }
        return code
    }

    // MARK: - Coordinates

    /// Degrees as millionths. `nil` if they are absent or were reported.
    func coordinate(_ declared: Declared<String>, _ coordinate: Coordinate, in scope: Scope) -> Int32? {
        guard let text = declared.located else { return nil }
        do {
            return try Microdegrees.parse(text.value, limit: coordinate.limit)
        } catch {
            report(
                text.location,
                "\(scope.name(coordinate.rawValue)) is \(text.value.isEmpty ? "empty" : text.quoted), expected "
                    + Expected.degrees(upTo: coordinate.limit),
                remedy: error == .malformed ? "write it like \(coordinate.example)" : "correct it")
            return nil
        }
    }
}

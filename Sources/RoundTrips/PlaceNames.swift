import Location

extension Place {
    /// The names by which a latency file knows the place, without its continent, over which times differ too much to be one.
    ///
    /// Names that a line of such a file cannot hold are left out.
    var latencyNames: [String] {
        var names: [String] = []
        if let country {
            names.append(country)
            if let region { names.append("\(country)-\(region)") }
        }
        // Networks and autonomous systems say what they are.
        names += labels.map { $0.contains(":") ? $0 : "label:\($0)" }
        return names.filter { name in
            name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: ",") } && name.utf8.last != 0x20
        }
    }
}

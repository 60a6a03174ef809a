import Location

extension Place {
    /// The names that a latency file may use for the place. The continent is left out: times differ too much over one.
    ///
    /// Names that a line of such a file cannot hold are left out.
    var latencyNames: [String] {
        var names: [String] = []
        if let country {
            names.append(country)
            if let region { names.append("\(country)-\(region)") }
        }
        // The labels of networks and autonomous systems have a prefix already.
        names += labels.map { $0.contains(":") ? $0 : "label:\($0)" }
        return names.filter { name in
            name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: ",") } && name.utf8.last != 0x20
        }
    }
}

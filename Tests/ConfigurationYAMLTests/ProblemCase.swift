import Testing

/// A text that is refused, and all that must be said about it.
struct ProblemCase: Sendable, CustomTestStringConvertible {
    let title: String
    let yaml: String
    /// The problems as they print, one a line, without the file's name.
    let reports: String

    init(_ title: String, yaml: String, reports: String) {
        self.title = title
        self.yaml = yaml
        self.reports = reports
    }

    var testDescription: String { title }

    // Pieces that texts start with, so that a row shows what it is about. `base` has lines 1 and 2, `twoNodes` after it
    // lines 3 to 5, `pool` and `policy` after those lines 6 and 7.

    static let base = """
        listen: ["192.0.2.53:53"]
        zones: [{origin: example.com, file: e.zone}]

        """
    static let twoNodes = """
        nodes:
          - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
          - {id: nyc1, addresses: [192.0.2.2], location: {latitude: 50.11, longitude: 8.68}}

        """
    static let pool = "pools: [{id: web, nodes: [fra1]}]\n"
    static let policy = "policies: [{id: nearest}]\n"
}

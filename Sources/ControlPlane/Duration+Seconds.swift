extension Duration {
    /// As a number of seconds, for people and reports.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension Duration {
    /// As a number of seconds, for people and reports.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension Double {
    /// For logs: with at most three decimals.
    package var inThousandths: Double { (self * 1_000).rounded() / 1_000 }
}

/// How the members of a pool are ordered for a client.
public enum Strategy: Hashable, Sendable {
    /// By great-circle distance `d · (1 - bias/100)`.
    case nearest
    /// By `1 - d / 20,000 km`, with `OriginalScoring`, as are the next three.
    case linear
    /// By the square of `linear`.
    case quadratic
    /// By `1 - ln(d / 1 km) / 10`.
    case logarithmic
    /// By `1.0` below 100 km, `0.8` below 500, `0.6` below 2,000, `0.4` below 5,000, else `0.2`.
    case stepped
    /// By measured latency; members without a measurement follow, by distance.
    case latency
    /// In the pool's order, each member in a band of its own.
    case order
    /// All in one band.
    case weighted

    /// Whether it is one of the four that score with `OriginalScoring`.
    public var isOriginal: Bool {
        switch self {
        case .linear, .quadratic, .logarithmic, .stepped: true
        case .nearest, .latency, .order, .weighted: false
        }
    }
}

/// What the four original strategies add for a member in the client's own region or country.
///
/// Score = `min(1, strategy · (1 - f) + bonus)`, where `f` is the bias factor. The bonus is `f` if country and region
/// agree, `f / 2` if only the country does.
public struct OriginalScoring: Hashable, Sendable {
    /// If false, the bonus is always 0.
    public let sameRegionPreference: Bool
    /// Bias factor in thousandths, 0...1000.
    public let biasThousandths: Int

    public init(sameRegionPreference: Bool = true, biasThousandths: Int = 800) {
        self.sameRegionPreference = sameRegionPreference
        self.biasThousandths = biasThousandths
    }
}

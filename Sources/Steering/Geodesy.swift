public import Location

/// A point on the unit sphere, scaled to 2^30 and rounded to integers, which ranking compares.
///
/// It is computed with IEEE-exact operations only (+ − × ÷ √), so every machine ranks alike.
public struct SpherePoint: Hashable, Sendable {
    public let x: Int64
    public let y: Int64
    public let z: Int64

    init(x: Int64, y: Int64, z: Int64) {
        self.x = x
        self.y = y
        self.z = z
    }

    public init(_ coordinates: Coordinates) {
        let latitude = Trigonometry.sineAndCosine(microdegrees: Int64(coordinates.latitude))
        let longitude = Trigonometry.sineAndCosine(microdegrees: Int64(coordinates.longitude))
        x = Self.scaled(latitude.cosine * longitude.cosine)
        y = Self.scaled(latitude.cosine * longitude.sine)
        z = Self.scaled(latitude.sine)
    }

    private static func scaled(_ value: Double) -> Int64 {
        Int64(value * 0x1p30 + (value < 0 ? -0.5 : 0.5))
    }

    /// Square of the chord to `other`, in units of 2^-60: 0...2^62. It grows with the great-circle distance.
    @inline(__always)
    public func squaredChord(to other: SpherePoint) -> UInt64 {
        let (dx, dy, dz) = (x &- other.x, y &- other.y, z &- other.z)
        return UInt64(bitPattern: dx &* dx &+ dy &* dy &+ dz &* dz)
    }
}

/// Great-circle distances on a sphere of 6,371,008.8 m (the mean radius of IUGG).
public enum GreatCircle {
    public static let radius = 6_371_008.8

    /// Metres along the surface, for a squared chord in units of 2^-60.
    public static func metres(squaredChord: UInt64) -> Double {
        let half = (Double(squaredChord) * 0x1p-60).squareRoot() / 2
        return 2 * radius * Trigonometry.arcSine(min(half, 1))
    }

    /// The largest squared chord, at most 2^62, whose distance is at most `metres`.
    static func lastSquaredChord(within metres: Double) -> UInt64 {
        let beyond = first { self.metres(squaredChord: $0) > metres }
        return beyond - 1
    }

    /// The smallest squared chord whose distance is at least `metres`; 2^62 + 1 when there is none.
    static func firstSquaredChord(atLeast metres: Double) -> UInt64 {
        first { self.metres(squaredChord: $0) >= metres }
    }

    /// Binary search for the smallest of 1...2^62 that `holds`; 2^62 + 1 if none does. Every greater value must hold
    /// too.
    private static func first(where holds: (UInt64) -> Bool) -> UInt64 {
        var (low, high) = (UInt64(1), UInt64(1) << 62 + 1)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Sine, cosine and arc sine from exact operations; error below 1e-15.
enum Trigonometry {
    static func sineAndCosine(microdegrees: Int64) -> (sine: Double, cosine: Double) {
        // Reduces the angle to one of the four quarters around 0°, 90°, 180° and 270°: exactly, in integers.
        let full: Int64 = 360_000_000
        let angle = ((microdegrees % full) + full) % full
        let quarter = (angle + 45_000_000) / 90_000_000
        let rest = Double(angle - quarter * 90_000_000) * (Double.pi / 180_000_000)
        let (sine, cosine) = series(rest)
        return switch quarter % 4 {
        case 0: (sine, cosine)
        case 1: (cosine, -sine)
        case 2: (-sine, -cosine)
        default: (-cosine, sine)
        }
    }

    /// Taylor series on ±π/4: eleven terms reach the last bit.
    private static func series(_ x: Double) -> (sine: Double, cosine: Double) {
        let square = x * x
        var (sine, cosine) = (0.0, 0.0)
        for term in stride(from: 20, through: 2, by: -2) {
            let n = Double(term)
            cosine = (1 + cosine) * (-square / (n * (n - 1)))
            sine = (1 + sine) * (-square / (n * (n + 1)))
        }
        return (x * (1 + sine), 1 + cosine)
    }

    /// Arc sine of 0...1.
    static func arcSine(_ x: Double) -> Double {
        if x > 0.5 { return Double.pi / 2 - 2 * arcSine(((1 - x) / 2).squareRoot()) }
        let square = x * x
        var term = x
        var sum = x
        for n in 1..<28 {
            let odd = Double(2 * n - 1)
            term *= square * odd * odd / (Double(2 * n) * Double(2 * n + 1))
            sum += term
        }
        return sum
    }
}

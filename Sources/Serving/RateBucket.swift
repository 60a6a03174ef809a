/// What becomes of a reply under a rate limit.
public enum RateOutcome: Hashable, Sendable {
    case send
    /// Sent cut to its question with TC, so that an honest client asks again over TCP.
    case slip
    case drop
}

/// How often a client network may get replies of one class.
public struct RateLimitRule: Hashable, Sendable {
    /// Replies a second, and at once after a pause: 1 to 65,535.
    public var responsesPerSecond: UInt16
    /// Of the replies over the limit every one in so many is cut instead of dropped: 1 to 10; 0 for none.
    public var slip: UInt8
    /// Bits of an IPv4 address that make a client network: 0 to 32.
    public var v4PrefixLength: Int
    /// The same for IPv6: 0 to 128.
    public var v6PrefixLength: Int

    public init(responsesPerSecond: UInt16, slip: UInt8 = 2, v4PrefixLength: Int = 24, v6PrefixLength: Int = 56) {
        self.responsesPerSecond = responsesPerSecond
        self.slip = slip
        self.v4PrefixLength = v4PrefixLength
        self.v6PrefixLength = v6PrefixLength
    }
}

/// A token bucket in one word, so that one store updates it: second of the last visit (32 bits), tokens (16), replies over
/// the limit since one was cut (4), and a tag that tells the keys of one place apart (12).
struct RateBucket: Hashable {
    static let tagMask: UInt64 = 0xfff

    var word: UInt64

    /// Takes a token in the second `now` (modulo 2^32).
    ///
    /// Another key's bucket, and one that was visited in the future, begins anew, full: errors let replies pass.
    /// - Parameter tag: at most 12 bits.
    mutating func take(tag: UInt64, at now: UInt32, _ rule: RateLimitRule) -> RateOutcome {
        let rate = UInt64(rule.responsesPerSecond)
        let elapsed = Int32(bitPattern: now &- UInt32(truncatingIfNeeded: word >> 32))
        var tokens = word >> 16 & 0xffff
        var limited = word >> 12 & 15
        // An untouched bucket has the tag 0 perhaps, but the second 0 surely.
        if word & Self.tagMask != tag || elapsed < 0 || word == 0 {
            (tokens, limited) = (rate, 0)
        } else if elapsed > 0 {
            tokens = min(rate, tokens + UInt64(elapsed) * rate)
        }
        var outcome = RateOutcome.send
        if tokens > 0 {
            tokens -= 1
        } else {
            limited += 1
            outcome = rule.slip > 0 && limited >= rule.slip ? .slip : .drop
            // Without slip nothing is counted, and four bits must not overflow.
            if outcome == .slip || rule.slip == 0 { limited = 0 }
        }
        word = UInt64(now) << 32 | tokens << 16 | limited << 12 | tag
        return outcome
    }
}

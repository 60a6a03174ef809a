/// The key of all name hashes, drawn once per process.
///
/// Each step multiplies the running hash by eight bytes of a name, each masked with half of the secret, and folds the
/// 128-bit product. Without the secret, names cannot be constructed to collide more often than by chance. The secret
/// is never disclosed. Clients see no effect of it except timing.
struct NameSecret {
    static let ofProcess = NameSecret()

    private let first = word(1)
    private let second = word(2)
    /// The initial hash, before the first label.
    let start = word(3)

    @inline(__always)
    func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ first).multipliedFullWidth(by: word ^ second)
        return product.high ^ product.low
    }

    /// Derived from the seed that the standard library draws for hash tables.
    private static func word(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// What the hashes of names are keyed by, drawn once for the process.
///
/// A step multiplies the running hash and eight bytes of a name, each hidden by a half of the secret, and folds the product
/// of 128 bits. Without the secret nobody can tell two names whose hashes meet more often than by chance; the secret is
/// never told, and nothing that a client sees depends on it but time.
struct NameSecret {
    static let ofProcess = NameSecret()

    private let first = word(1)
    private let second = word(2)
    /// Of the running hash, before the first label.
    let start = word(3)

    @inline(__always)
    func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ first).multipliedFullWidth(by: word ^ second)
        return product.high ^ product.low
    }

    /// From the seed that the standard library draws for hash tables.
    private static func word(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

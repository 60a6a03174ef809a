/// Notices when a loading turns out to be long: before a database or steering tables are compiled, and once the zones and
/// latency files that changed are more than some.
///
/// Used by one thread.
public final class LoadingEffort {
    /// Bytes of text that are parsed in less than a tenth of a second.
    private static let shortText = 1 << 20

    private let whenLong: @Sendable () -> Void
    private var isLong = false
    private var bytes = 0

    /// - Parameter whenLong: called once, by the thread that loads.
    public init(whenLong: @escaping @Sendable () -> Void = {}) { self.whenLong = whenLong }

    /// A zone or latency file of so many bytes is parsed next.
    func parses(bytes: Int) {
        self.bytes += bytes
        if self.bytes > Self.shortText { isLongNow() }
    }

    /// Something that takes long is next.
    func isLongNow() {
        guard !isLong else { return }
        isLong = true
        whenLong()
    }
}

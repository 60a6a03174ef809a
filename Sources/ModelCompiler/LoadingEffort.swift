/// Detects that a load takes long: before a database or steering tables are compiled, and once changed zones and
/// latency files exceed a size.
///
/// Used by one thread.
public final class LoadingEffort {
    /// Bytes of text that are parsed in less than a tenth of a second.
    private static let shortText = 1 << 20

    private let whenLong: @Sendable () -> Void
    private var isLong = false
    private var bytes = 0

    /// - Parameter whenLong: called once, on the loading thread.
    public init(whenLong: @escaping @Sendable () -> Void = {}) { self.whenLong = whenLong }

    /// A zone or latency file of this many bytes is parsed next.
    func parses(bytes: Int) {
        self.bytes += bytes
        if self.bytes > Self.shortText { isLongNow() }
    }

    /// A long step comes next.
    func isLongNow() {
        guard !isLong else { return }
        isLong = true
        whenLong()
    }
}

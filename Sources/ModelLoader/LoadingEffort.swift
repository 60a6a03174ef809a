/// Notices when a loading turns out to be long: before a database or steering tables are compiled, and once the zones that
/// changed are more than some.
///
/// Used by one thread.
public final class LoadingEffort {
    /// Bytes of zone files that are parsed in less than a tenth of a second.
    private static let shortZones = 1 << 20

    private let whenLong: @Sendable () -> Void
    private var isLong = false
    private var zoneBytes = 0

    /// - Parameter whenLong: called once, by the thread that loads.
    public init(whenLong: @escaping @Sendable () -> Void = {}) { self.whenLong = whenLong }

    /// A zone file of so many bytes is parsed next.
    func parsesZone(ofBytes bytes: Int) {
        zoneBytes += bytes
        if zoneBytes > Self.shortZones { isLongNow() }
    }

    /// Something that takes long is next.
    func isLongNow() {
        guard !isLong else { return }
        isLong = true
        whenLong()
    }
}

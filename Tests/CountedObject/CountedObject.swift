import FastPathObject

/// The program with counters of its accesses, for tests.
public enum CountedObject {
    /// The object, as `FastPathObject.bytes`.
    public static var bytes: [UInt8] { FastPathObject.decode(embeddedObject) }
}

import FastPathObject

/// The compiled program that counts round-trip times.
public enum RoundTripObject {
    /// The object, as `FastPathObject.bytes`.
    public static var bytes: [UInt8] { FastPathObject.decode(embeddedObject) }
}

/// Ends the run as a crash does: libFuzzer keeps the input.
public func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

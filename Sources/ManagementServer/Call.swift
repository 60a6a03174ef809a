import Access
import ControlFailures
import Hummingbird

/// A request to a route, as the operation sees it.
struct Call: Sendable {
    let caller: Caller
    let handler: any ControlHandling
    /// Of the listener's connections, if it counts them.
    let places: ControlPlaces?
    let query: Query
    /// Empty where the route has none.
    let body: [UInt8]
    /// Of the path, percent-encoded.
    let parameters: Parameters

    /// A parameter in the path.
    func path(_ name: String) throws(ControlFailure) -> String {
        guard let text = parameters.get(name) else {
            throw ControlFailure(.internal, "the route has no parameter \(name)")
        }
        return PercentDecoding.decode(text) ?? text
    }
}

import FastPathDriver
package import FastPathPlan

/// What the publisher needs of the fast path: the program and its tables in the kernel.
///
/// Every call that throws leaves packets answered as before. The implementation that drives the kernel is
/// ``FastPathRunner``; without a program all of it succeeds and does nothing.
package protocol FastPathDriving: Sendable {
    /// What the program answers from; `nil` without one.
    var image: FastPathImage? { get async }
    /// Zones in the tables whose names share the replies to what does not exist; `nil` without a program.
    var sharingZones: Set<[UInt8]>? { get async }
    /// How much of the room for changed names is taken, 0 to 1.
    var overlayUse: Double { get async }
    /// The slot in use; 0 without a fast path.
    var generation: Int { get async }
    /// The slot that the next generation goes to.
    var idleGeneration: Int { get async }

    /// Makes tables of an image next to those in use. `nil` where that is not possible: `publish` says why.
    func fillBeside(_ image: FastPathImage) async -> (any FilledTables)?

    /// Changes names in the generation in use: for a packet, all of them or none. `retire` comes next.
    ///
    /// - Parameter epoch: of the model that answers from then on.
    /// - Returns: false where they do not fit: an image has to be published.
    func change(_ changes: StaticChanges, to epoch: UInt64) async throws -> Bool

    /// Makes the program answer from `image`: for a packet, all of it or nothing. `retire` comes next.
    ///
    /// - Parameters:
    ///   - filled: tables of the image that ``fillBeside(_:)`` made; `nil`: they are made now.
    ///   - changes: what differs from the image by now; `nil`: nothing.
    ///   - epoch: of the model that answers from then on.
    func publish(
        _ image: FastPathImage, from filled: (any FilledTables)?, changing changes: StaticChanges?,
        to epoch: UInt64
    ) async throws -> FastPathPublication

    /// Waits until no packet reads what was there before, and lets it be freed.
    func retire() async throws

    /// Returns when nothing is left of the tables before.
    func freed() async

    /// The successor is gone: takes back the links that it may have had.
    func takeBack() async

    /// Whether the program was taken off, and can be put back.
    var isDetached: Bool { get async }

    /// Puts a program that was taken off back, with this image. `retire` comes next.
    ///
    /// - Parameter epoch: of the model that it answers from.
    func attach(_ image: FastPathImage, to epoch: UInt64) async throws
}

/// Tables of an image in maps that no packet reads yet.
package protocol FilledTables: Sendable {}

extension FastPathMaps.FilledTables: FilledTables {}

/// How an image came to the program.
package enum FastPathPublication: Hashable, Sendable {
    /// There is no fast path.
    case none
    /// Into the idle generation of the maps there are.
    case generation
    /// Into a program with larger maps, for the reason given.
    case program(String)
}

/// How what is served came to the fast path.
package enum PublicationPath: Hashable, Sendable {
    /// There is none, or nothing changed.
    case none
    /// Names were changed in its tables.
    case names
    /// Its tables were exchanged.
    case tables
    /// It was replaced by a program with larger maps, for this reason.
    case program(String)

    /// For reports.
    package var name: String {
        switch self {
        case .none: "none"
        case .names: "names"
        case .tables: "tables"
        case .program: "program"
        }
    }

    /// Whether the tables that were in use are not any more.
    var exchangesTables: Bool {
        switch self {
        case .none, .names: false
        case .tables, .program: true
        }
    }

    init(_ publication: FastPathPublication) {
        switch publication {
        case .none: self = .none
        case .generation: self = .tables
        case .program(let reason): self = .program(reason)
        }
    }
}

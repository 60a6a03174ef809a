import ConfigurationModel
public import DNSWire
public import Zones

/// A zone as it is served, and where it came from.
public struct LoadedZone: Sendable {
    public let origin: DomainName
    public internal(set) var zone: Zone
    /// Of the SOA.
    public internal(set) var serial: UInt32
    /// Records as written and changed since, without those made up for tailored names.
    public internal(set) var records: Int
    /// RRsets that were changed by themselves and are laid over the files.
    public internal(set) var changes = 0
    /// What is to be kept of them from now on, where that is less than was given.
    public internal(set) var settled: ZoneChanges?
    /// When the files were read, in seconds since 1970.
    public let loadedAt: Double
    /// What is served, but hardly meant.
    public let warnings: [String]
    /// Why what the files say now is not served: they cannot be read, or are not a zone. The last good version stays.
    public internal(set) var failure: Failure?

    /// Hash of the origin and the files' content.
    let digest: UInt64
    /// Hash of what is laid over them; 0: nothing.
    var changesDigest: UInt64 = 0
    /// The file that the configuration names, and those it includes.
    let files: [FileStamp]
    let inputs: Inputs

    /// What of the configuration decides the zone, besides the files: another value makes another zone.
    struct Inputs: Hashable, Sendable {
        let file: String
        let tailored: [Tailored]
    }

    /// A tailored name of the zone.
    struct Tailored: Hashable, Sendable {
        let name: DomainName
        let kinds: TailoredKinds

        init(_ settings: TailoredSettings) {
            name = settings.name
            kinds =
                switch settings.records {
                case .addresses: .addresses
                case .services: .srv
                case .alias: .alias
                case .binding(let binding): binding.type == .svcb ? .svcb : .https
                }
        }
    }

    public struct Failure: Sendable {
        /// Each with its place and remedy.
        public let problems: [String]
        /// The files that failed, as far as they are there: unchanged, they fail again.
        let files: [FileStamp]
        let missing: [String]
        let inputs: Inputs
        /// Of the changes that were to be laid over them.
        let changesDigest: UInt64

        /// Whether trying again would end as before.
        var isCurrent: Bool {
            files.allSatisfy(\.isCurrent) && missing.allSatisfy { FileStamp($0) == nil }
        }
    }

    /// Whether no file that it was made of, or that failed, has changed since it was read.
    var isUpToDate: Bool {
        guard let failure else { return files.allSatisfy(\.isUpToDate) }
        return failure.files.allSatisfy(\.isUpToDate) && failure.missing.allSatisfy { FileStamp($0) == nil }
    }

    /// Paths whose change may change the zone.
    public var paths: [String] {
        files.map(\.path) + (failure.map { $0.files.map(\.path) + $0.missing } ?? [])
    }
}

import ConfigurationModel
public import DNSWire
public import Lints
import LinuxSupport
public import Zones

/// A zone as it is served, and its sources.
public struct LoadedZone: Sendable {
    public let origin: DomainName
    public internal(set) var zone: Zone
    /// Of the SOA.
    public internal(set) var serial: UInt32
    /// Records from files and record changes, without those synthesised for tailored names.
    public internal(set) var records: Int
    /// RRsets changed through the API, which replace those of the files.
    public internal(set) var changes = 0
    /// Those of them that the files do not have. Deleting one leaves nothing to keep.
    public internal(set) var additions: Set<RRsetKey> = []
    /// The record changes to keep, if fewer than before.
    public internal(set) var settled: ZoneChanges?
    /// When the files were read, in seconds since 1970.
    public let loadedAt: Double
    /// Warnings: valid, but probably a mistake.
    public let warnings: [LintWarning]
    /// Why the current files are not served: they are unreadable or not a valid zone. The last good version stays in
    /// use.
    public internal(set) var failure: Failure?

    /// Hash of the origin and the files' content.
    let digest: UInt64
    /// Hash of the record changes. 0: none.
    var changesDigest: UInt64 = 0
    /// The configured zone file and its includes.
    let files: [FileStamp]
    let inputs: Inputs
    /// The aliases in the zone when the warnings were found.
    let followers: Set<DomainName>
    /// What the files hold.
    let file: FileContent

    /// The content of a zone's files, for comparison with the next version.
    struct FileContent: Hashable, Sendable {
        /// Of the SOA.
        let serial: UInt32
        /// Hash of the records.
        let digest: UInt64
    }

    /// The part of the configuration that decides the zone, besides the files.
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
                case .texts: .txt
                case .exchanges: .mx
                }
        }
    }

    public struct Failure: Sendable {
        /// Each with its place and remedy.
        public let problems: [String]
        /// The existing files that failed. Unchanged, they fail again.
        let files: [FileStamp]
        let missing: [String]
        let inputs: Inputs
        /// Hash of the record changes that were applied.
        let changesDigest: UInt64

        /// Whether another attempt would end the same way.
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

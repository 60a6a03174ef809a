import ControlFailures
import DNSWire
import ManagementTypes
import VisibleText
import ZoneFile
import Zones

// The fuzz targets compile this file and RecordRequest.swift into one module, without the control plane.
#if canImport(ControlPlane)
    import ControlPlane
#endif

/// Record changes of a request.
extension RecordRequest {
    /// The most changes in one request.
    private static let maximumChanges = 10_000

    /// - Throws: `invalid`, with every change that cannot be read.
    init(_ change: ManagementTypes.RRsetsChange, zone: String) throws(ControlFailure) {
        let zone = try Self.name(zone, "the zone")
        guard !change.changes.isEmpty else {
            throw ControlFailure(.invalid, "there are no changes", remedy: "give one or more in \"changes\"")
        }
        guard change.changes.count <= Self.maximumChanges else {
            throw ControlFailure(
                .tooLarge, "\(change.changes.count) changes are more than \(Self.maximumChanges)",
                remedy: "change the zone's file and reload")
        }
        var (changes, problems): ([RRsetChange], [String]) = ([], [])
        for (place, edit) in change.changes.enumerated() {
            switch Self.read(edit) {
            case .success(let change): changes.append(change)
            case .failure(let unreadable):
                problems.append(Self.place(place, edit.name, edit.type) + unreadable.message)
            }
        }
        guard problems.isEmpty else { throw Self.refusal(problems) }
        self.init(zone: zone, changes: changes, author: change.author)
    }

    static func unknownType(_ text: String) -> ControlFailure {
        ControlFailure(
            .invalid, "\"\(VisibleText.cut(text, after: 255))\" is not a record type",
            remedy: "write one, such as A, or TYPE and its number")
    }

    static func name(_ text: String, _ what: String) throws(ControlFailure) -> DomainName {
        do throws(Unreadable) { return try name(text) } catch {
            throw ControlFailure(
                .invalid, "\(what) \"\(VisibleText.cut(text, after: 255))\" is not a domain name: \(error.message)")
        }
    }

    /// A name of a zone.
    static func name(_ text: String, in zone: DomainName) throws(ControlFailure) -> DomainName {
        let name = try name(text, "the name")
        guard name.isSubdomain(of: zone) else {
            throw ControlFailure(
                .invalid, "\(name) is not in the zone \(zone)", remedy: "give the full name, such as www.\(zone)")
        }
        return name
    }

    private static func name(_ text: String) throws(Unreadable) -> DomainName {
        // Names may hold bytes beyond ASCII, but letters beyond ASCII are written as A-labels (RFC 5891).
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Unreadable("it has letters beyond ASCII; write it as xn--…, or each byte as \\ and three digits")
        }
        do throws(DomainNameError) { return try DomainName(text) } catch { throw Unreadable("\(error)") }
    }

    private struct Unreadable: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    private static func read(_ edit: RRsetEdit) -> Result<RRsetChange, Unreadable> {
        let owner: DomainName
        do throws(Unreadable) { owner = try name(edit.name) } catch {
            return .failure(Unreadable("the name is not a domain name: \(error.message)"))
        }
        guard let type = RecordType(edit.type) else {
            return .failure(Unreadable("unknown type; correct it, or write TYPE and its number"))
        }
        let records = edit.records ?? []
        guard type != .any || records.isEmpty else {
            return .failure(Unreadable("ANY has no records; name their type, or give none to delete all types"))
        }
        guard records.isEmpty || edit.ttl != nil else {
            return .failure(Unreadable("there is no TTL; give \"ttl\" in seconds"))
        }
        guard edit.ttl ?? 0 <= UInt32(Int32.max) else {
            return .failure(Unreadable("the TTL is longer than \(Int32.max) seconds; make it shorter"))
        }
        var change = RRsetChange(owner: owner, type: type, ttl: edit.ttl ?? 0)
        for (number, record) in records.enumerated() {
            do throws(RecordTextError) { change.records.append(try type.data(presentation: record)) } catch {
                return .failure(Unreadable("record \(number + 1), \(error)"))
            }
        }
        return .success(change)
    }
}

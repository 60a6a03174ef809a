import Fixtures
import Foundation
import GeoData
import IPNetworks
import Testing

/// A folder with a database.
private final class InstallFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "nearcast-install-\(UUID())")
    let installation: DatabaseInstallation

    /// - Parameter networks: of the database in place. `nil`: there is none.
    init(networks: Int? = 20) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let path = url.appending(path: "city.mmdb")
        if let networks { try Data(Self.database(networks)).write(to: path) }
        installation = DatabaseInstallation(path: path.path)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A database whose build day tells its number of networks.
    static func database(_ networks: Int) -> [UInt8] {
        var writer = MMDBWriter()
        writer.buildEpoch = UInt64(networks) * 86_400
        for number in 0..<networks {
            if let prefix = IPPrefix("16.\(number).0.0/16") {
                writer.insert(prefix, .place("City \(number)", 50 + Double(number) / 10, 8, country: "DE"))
            }
        }
        return writer.bytes
    }

    func offer(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: installation.temporaryPath)) }

    /// The networks of the database at a path. `nil`: there is none.
    func networks(_ path: String) -> Int? { try? DatabaseInstallation.Figures(of: path).networks }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}

@Suite("The installation of a database")
struct DatabaseInstallationTests {
    @Test("replaces the one in place, keeps it, and goes back to it and forth again")
    func update() throws {
        let folder = try InstallFolder()
        let installation = folder.installation
        try folder.offer(InstallFolder.database(21))
        let outcome = try installation.install(isForced: false)
        #expect(outcome.installed.networks == 21 && outcome.earlier?.networks == 20)
        #expect(folder.networks(installation.path) == 21)
        #expect(folder.networks(installation.previousPath) == 20)
        #expect(try folder.names == ["city.mmdb", "city.mmdb.previous"])

        let back = try installation.rollBack()
        #expect(back.installed.networks == 20 && back.earlier?.networks == 21)
        #expect(folder.networks(installation.path) == 20)
        #expect(folder.networks(installation.previousPath) == 21)
        #expect(try installation.rollBack().installed.networks == 21)
        #expect(try folder.names == ["city.mmdb", "city.mmdb.previous"])
    }

    @Test("refuses what is damaged, or no city database", arguments: ["text", "cut", "empty", "no places"])
    func damaged(kind: String) throws {
        let folder = try InstallFolder()
        let whole = InstallFolder.database(30)
        var other = MMDBWriter()
        other.insert(try #require(IPPrefix("16.0.0.0/8")), .map([("autonomous_system_number", .uint32(1))]))
        let bytes =
            switch kind {
            case "text": Array("not a database".utf8)
            case "cut": Array(whole.prefix(whole.count / 2))
            case "empty": [UInt8]()
            default: other.bytes
            }
        try folder.offer(bytes)
        #expect(throws: GeoDataError.self) { try folder.installation.install(isForced: true) }
        #expect(folder.networks(folder.installation.path) == 20)
        #expect(folder.networks(folder.installation.previousPath) == nil)
    }

    @Test(
        "refuses one that lost more than a tenth of its networks, unless it is forced",
        arguments: [(18, true), (17, false), (200, true)])
    func shrunk(networks: Int, isAccepted: Bool) throws {
        let folder = try InstallFolder()
        try folder.offer(InstallFolder.database(networks))
        if isAccepted {
            #expect(try folder.installation.install(isForced: false).installed.networks == networks)
        } else {
            let error = #expect(throws: GeoDataError.self) { try folder.installation.install(isForced: false) }
            #expect(error?.problem.contains("it lost more than a tenth") == true)
            #expect(folder.networks(folder.installation.path) == 20)
            #expect(try folder.installation.install(isForced: true).installed.networks == networks)
        }
    }

    @Test("needs none in place, and keeps none that is damaged")
    func first() throws {
        let folder = try InstallFolder(networks: nil)
        try folder.offer(InstallFolder.database(20))
        #expect(try folder.installation.install(isForced: false).earlier == nil)
        #expect(try folder.names == ["city.mmdb"])
        #expect(throws: GeoDataError.self) { try folder.installation.rollBack() }
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: folder.installation.path))
        try folder.offer(InstallFolder.database(5))
        #expect(try folder.installation.install(isForced: false).earlier == nil)
        #expect(try folder.names == ["city.mmdb"])
    }

    @Test("follows a link, and gives the new file the mode of the old one")
    func links() throws {
        let folder = try InstallFolder()
        let real = folder.url.appending(path: "city.mmdb").path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
        let link = folder.url.appending(path: "link.mmdb").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        try folder.offer(InstallFolder.database(21))
        let installation = DatabaseInstallation(path: link)
        #expect(try installation.install(isForced: false).installed.networks == 21)
        #expect(folder.networks(real) == 21)
        let mode = try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(try folder.names == ["city.mmdb", "city.mmdb.previous", "link.mmdb"])
    }
}

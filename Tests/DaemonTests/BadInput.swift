import Fixtures
import Foundation
import Glibc
import IPNetworks
import Testing

/// One thing that is wrong, and what the daemon says of it.
struct BadInput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The exit status by sysexits.h: 78 where a configuration has to be corrected.
    let status: Int32
    /// Spoils a sound world, and gives the error that has to be in the log.
    let spoil: @Sendable (World) throws -> String

    init(_ description: String, status: Int32 = 78, _ spoil: @escaping @Sendable (World) throws -> String) {
        testDescription = description
        self.status = status
        self.spoil = spoil
    }

    /// The configuration file alone.
    static let configuration = [
        BadInput("YAML that is none") { world in
            world.configuration += "\n  - ]"
            let lines = world.configuration.split(separator: "\n").count
            return "\(world.url("c.yaml").path):\(lines):"
        },
        BadInput("a duplicate node") { world in
            try world.replace("id: nyc", "id: ber")
            return "\(try world.place("ber\n    addresses: [198.51.100.20")): node \"ber\" is defined twice, "
                + "first at line 7: remove or rename one"
        },
        BadInput("an unknown pool") { world in
            try world.replace("pool: web", "pool: nope")
            return "\(try world.place("nope")): tailored name \"www.example.com\" names pool \"nope\", "
                + "which is not among pools (web): add it under pools or correct the spelling"
        },
        BadInput("more listen addresses than fit") { world in
            let endpoints = (1...17).map { "\"192.0.2.53:\($0)\"" }.joined(separator: ", ")
            try world.replace("\"192.0.2.53:53\", \"[2001:db8:53::53]:53\"", endpoints)
            return "\(try world.place("\"192.0.2.53:17\"")): listen has 17 endpoints, expected at most 16: remove 1"
        },
        BadInput("more steering tables than fit") { world in
            let range = 1...129
            let pools = range.map { "  - {id: p\($0), nodes: [{id: ber, weight: \($0)}, nyc]}\n" }.joined()
            let names = range.map { "\n  - {name: n\($0).example.com, pool: p\($0), policy: nearest}" }.joined()
            try world.replace("policies:", pools + "policies:")
            world.configuration += names
            return
                "\(try world.place("{name: n128.example.com")): tailored name \"n128.example.com.\" needs steering table number "
                + "258 (one for each distinct pool, policy, view and address family), but only 256 fit: let names share pools and policies"
        },
    ]

    static let zones = [
        BadInput("a zone file that is missing") { world in
            try world.replace("file: example.com.zone", "file: nowhere.zone")
            return "\(try world.place("{origin: example.com, file: nowhere")): zone example.com.: cannot read "
                + "\(world.url("nowhere.zone").path): No such file or directory"
        },
        BadInput("a zone file that is a folder") { world in
            try world.replace("file: example.com.zone", "file: .")
            return "Is a directory"
        },
        BadInput("a zone file that is a pipe nobody writes to") { world in
            try FileManager.default.removeItem(at: world.url("example.com.zone"))
            guard mkfifo(world.url("example.com.zone").path, 0o600) == 0 else { throw POSIXError(.EIO) }
            return "cannot read \(world.url("example.com.zone").path): it is a pipe, which is not a regular file"
        },
        BadInput("a zone syntax error") { world in
            try world.write("example.com.zone", World.zone + "\nmail IN A 192.0.2.999")
            return "\(world.url("example.com.zone").path):5:11: "
        },
        BadInput("a zone without SOA") { world in
            try world.write("example.com.zone", "$TTL 300\n@ IN NS ns1\nns1 IN A 192.0.2.53\n")
            return "SOA"
        },
    ]

    static let database = [
        BadInput("a database that is missing") { world in
            try world.replace("database: city.mmdb", "database: nowhere.mmdb")
            return
                "\(try world.place("nowhere.mmdb")): geographic database \(world.url("nowhere.mmdb").path) "
                + "(geo.database) does not exist, and tailored names need one: install one with `nearcast geo update` "
                + "(for trials `make setup` fetches one), or name another file"
        },
        BadInput("a database that is a folder") { world in
            try world.replace("database: city.mmdb", "database: /tmp")
            return "\(try world.place("/tmp")): geographic database /tmp cannot be "
        },
        BadInput("a database that is a pipe nobody writes to") { world in
            try FileManager.default.removeItem(at: world.url("city.mmdb"))
            guard mkfifo(world.url("city.mmdb").path, 0o600) == 0 else { throw POSIXError(.EIO) }
            return "\(try world.place("city.mmdb")): geographic database \(world.url("city.mmdb").path) cannot be read "
                + "(it is a pipe, which is not a regular file): name a regular file"
        },
        damaged("an empty database") { _ in [] },
        damaged("a database of garbage") { _ in (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 5) }
        },
        damaged("a database cut off in its tree") { Array($0.bytes.prefix($0.treeBytes / 2)) },
        damaged("a database cut off before its metadata") { Array($0.bytes.dropLast(200)) },
        damaged("a database with a flipped bit in its metadata's marker") { writer in
            var bytes = writer.bytes
            if let marker = bytes.indices.last(where: { bytes[$0...].starts(with: [0xab, 0xcd, 0xef]) }) {
                bytes[marker] ^= 1
            }
            return bytes
        },
        damaged("a database with a flipped bit in its root") { writer in
            var bytes = writer.bytes
            bytes[3] ^= 0x80  // highest bit of the root's left record
            return bytes
        },
        damaged("a database whose tree loops") { writer in
            var writer = writer
            writer.nodes[writer.nodes.count - 1].right = .node(0)
            return writer.bytes
        },
        BadInput("a database of countries") { world in
            var writer = MMDBWriter()
            if let prefix = IPPrefix("16.0.0.0/8") {
                writer.insert(prefix, .map([("country", .map([("iso_code", .string("DE"))]))]))
            }
            try world.write("city.mmdb", writer.bytes)
            return "\(try world.place("city.mmdb")): geographic database \(world.url("city.mmdb").path) holds no "
                + "coordinates: a City database is needed"
        },
    ]

    private static func damaged(
        _ description: String, _ bytes: @escaping @Sendable (MMDBWriter) -> [UInt8]
    ) -> BadInput {
        BadInput(description) { world in
            try world.write("city.mmdb", bytes(MMDBWriter.sample()))
            return "\(try world.place("city.mmdb")): geographic database \(world.url("city.mmdb").path) "
        }
    }

    static let certificates = [
        BadInput("a certificate that is missing") { world in
            world.configuration += "\ntls: {listen: [192.0.2.53], certificate: nowhere.pem, key: example.com.zone}"
            return "\(try world.place("nowhere.pem")): tls.certificate \(world.url("nowhere.pem").path) cannot be read "
                + "(No such file or directory): check the path and its permissions"
        },
        BadInput("a certificate that is none") { world in
            world.configuration += "\ntls: {listen: [192.0.2.53], certificate: example.com.zone, key: nowhere.pem}"
            return "tls.certificate \(world.url("example.com.zone").path) holds no certificate in PEM: "
        },
        BadInput("a certificate that is a pipe nobody writes to") { world in
            guard mkfifo(world.url("chain.pem").path, 0o600) == 0 else { throw POSIXError(.EIO) }
            world.configuration += "\ntls: {listen: [192.0.2.53], certificate: chain.pem, key: nowhere.pem}"
            return
                "tls.certificate \(world.url("chain.pem").path) cannot be read (it is a pipe, which is not a regular "
                + "file): name a regular file"
        },
        BadInput("a key of another certificate") { world in
            let (one, other) = (try CertificateFiles("one"), try CertificateFiles("other"))
            try world.write("chain.pem", try String(contentsOfFile: one.certificate, encoding: .utf8))
            try world.write("key.pem", try String(contentsOfFile: other.key, encoding: .utf8))
            world.configuration += "\ntls: {listen: [192.0.2.53], certificate: chain.pem, key: key.pem}"
            return "\(try world.place("key.pem")): tls.key \(world.url("key.pem").path) is not the key of the first "
                + "certificate in \(world.url("chain.pem").path): "
        },
    ]

    static let host = [
        BadInput("a state folder below a file", status: 74) { world in
            try world.replace("state: state", "state: city.mmdb/state")
            return "\(try world.place("city.mmdb/state")): \(world.url("city.mmdb/state").path) cannot be written "
                + "(Not a directory)"
        },
        BadInput("an interface that is missing") { world in
            try world.replace("[ncs0]", "[ncs0, ncs9]")
            return "\(try world.place("ncs9")): there is no interface ncs9 on this host: correct fast_path.interfaces "
                + "(see `ip link`)"
        },
        BadInput("native mode where the driver cannot") { world in
            try world.replace("[ncs0]", "[ncs0, lo]")
            return "fast path on lo: no native mode: "
        },
        BadInput("a file of cookie secrets that is a pipe nobody writes to") { world in
            guard mkfifo(world.url("secrets").path, 0o600) == 0 else { throw POSIXError(.EIO) }
            world.configuration += "\ncookies: {secret_file: secrets}"
            return
                "\(try world.place("secrets}")): cookies.secret_file: the file \(world.url("secrets").path) cannot be "
                + "read (it is a pipe, which is not a regular file): name a regular file"
        },
        BadInput("a journal that is a pipe nobody writes to", status: 74) { world in
            try FileManager.default.createDirectory(at: world.url("state"), withIntermediateDirectories: true)
            guard mkfifo(world.url("state/nearcast.db").path, 0o600) == 0 else { throw POSIXError(.EIO) }
            return "\(world.url("state/nearcast.db").path) is not a regular file: move it away"
        },
        BadInput("a control socket below a file") { world in
            try world.replace("control: run/c.sock", "control: city.mmdb/c.sock")
            return "control \(world.url("city.mmdb/c.sock").path): the socket cannot be made: Not a directory"
        },
        BadInput("a control socket where no folder can be made") { world in
            try world.replace("control: run/c.sock", "control: /proc/nearcast/c.sock")
            return "control /proc/nearcast/c.sock: folder /proc/nearcast cannot be made: No such file or directory"
        },
        BadInput("a control socket in a folder that takes no files") { world in
            try world.replace("control: run/c.sock", "control: /proc/c.sock")
            return "control /proc/c.sock: the socket cannot be made: No such file or directory"
        },
        BadInput("a file in place of the control socket") { world in
            try world.replace("control: run/c.sock", "control: city.mmdb")
            return "control \(world.url("city.mmdb").path): the file there is not a socket"
        },
        BadInput("a folder in place of the journal", status: 74) { world in
            try FileManager.default.createDirectory(
                at: world.url("state/nearcast.db"), withIntermediateDirectories: true)
            return "\(world.url("state/nearcast.db").path) is not a regular file: move it away"
        },
    ]
}

import ConfigurationModel
import Glibc
import LinuxSupport

/// The files of one configuration: the main one, and those that `include` names, in the order in which they are read.
struct ConfigurationFiles {
    /// Included files of one configuration.
    static let maximumIncludes = 1024
    /// Files that include each other in a row.
    static let maximumDepth = 16

    /// Taken before the files were read.
    private(set) var stamp = ConfigurationStamp()
    private var reader = YAMLReader(file: FileName(""))
    private var roots: [Fields] = []
    /// Why files cannot be read. Nothing else is reported then.
    private var failures: [ConfigurationError.Problem] = []
    private var included: [Identity: DocumentLocation] = [:]
    private var location: DocumentLocation?

    /// A file, however it is named.
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// A file and those that include it, outermost first.
    private struct Chain {
        var files: [(name: String, identity: Identity?)] = []
    }

    /// The configuration that the files hold together, or every problem.
    mutating func configuration(
        document: String, baseFolder: String
    ) -> Result<ServerConfiguration, ConfigurationError> {
        guard failures.isEmpty, let fields = Fields(joining: roots), let location else {
            return .failure(
                ConfigurationError(problems: (failures + reader.problems).sorted { $0.location < $1.location }))
        }
        // The YAML nodes are released before the rules run: those of a large file take more memory than everything
        // else.
        let declaration = reader.configuration(fields)
        roots = []
        return Result { () throws(ConfigurationError) in
            try ServerConfiguration(
                Located(declaration, at: location), document: document, baseFolder: baseFolder,
                variables: .ofProcess, found: reader.problems)
        }
    }

    // MARK: - Reading

    /// Adds the main file.
    mutating func add(path: String, _ file: FileName) {
        let here = DocumentLocation.file(file)
        guard let (text, identity) = contents(of: path, file, namedAt: here) else { return }
        add(text, file, Chain(files: [(file.text, identity)]))
    }

    /// Adds the text of the main file.
    mutating func add(text: String, _ file: FileName) { add(text, file, Chain(files: [(file.text, nil)])) }

    private mutating func add(_ text: String, _ file: FileName, _ chain: Chain) {
        let document = YAMLDocument(file: file)
        do throws(ConfigurationError.Problem) {
            guard let node = try document.mapping(text) else {
                // An included file may have nothing but comments.
                if chain.files.count == 1 { failures.append(document.empty) }
                return
            }
            guard let root = reader.root(node, of: file) else { return }
            location = location ?? root.location
            roots.append(root)
            for include in reader.includes(root) { add(include, by: file, chain) }
        } catch { failures.append(error) }
    }

    /// Adds the files that a value of `include` names.
    private mutating func add(_ include: Located<String>, by file: FileName, _ chain: Chain) {
        do throws(ConfigurationError.Problem) { try addFiles(include, by: file, chain) } catch {
            failures.append(error)
        }
    }

    private mutating func addFiles(
        _ include: Located<String>, by file: FileName, _ chain: Chain
    ) throws(ConfigurationError.Problem) {
        let text = try PathVariables.ofProcess.expand(include) { YAMLReader.includeKey }
        let slash = text.lastIndex(of: "/")
        let (folder, name) = (slash.map { text[..<$0] } ?? "", slash.map { text[$0...].dropFirst() } ?? text[...])
        guard !name.isEmpty, !text.utf8.contains(0), !FileListing.isPattern(folder) else {
            throw problem(
                include, "include has \(Spelling.quoted(text)), expected a path with wildcards only in its last part",
                remedy: "write it like conf.d/*.yaml")
        }
        let path = PathVariables.absolute(text, in: file.folder ?? ".")
        var paths = [path]
        if FileListing.isPattern(name) {
            let listing = FileListing(path)
            stamp.add(listing)
            paths = listing.paths
        }
        let shown = Self.folder(of: file.text) + (text.hasPrefix("/") ? "" : Self.prefix(text))
        for path in paths {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let label = text.hasPrefix("/") ? path : shown + name
            add(path: path, FileName(label, folder: String(path.dropLast(name.count + 1))), at: include, chain)
        }
    }

    private mutating func add(path: String, _ file: FileName, at include: Located<String>, _ chain: Chain) {
        guard let (text, identity) = contents(of: path, file, namedAt: include.location) else { return }
        if let start = chain.files.firstIndex(where: { $0.identity == identity }) {
            let circle = (chain.files[start...].map(\.name) + [file.text]).joined(separator: " > ")
            failures.append(
                problem(include, "\(file.text) includes itself (\(circle))", remedy: "remove this include"))
            return
        }
        if let first = included[identity] {
            failures.append(
                problem(
                    include, "\(file.text) is included twice, first at \(first.reference(from: include.location))",
                    remedy: "remove one, or make the pattern narrower"))
            return
        }
        guard included.count < Self.maximumIncludes, chain.files.count <= Self.maximumDepth else {
            failures.append(
                problem(
                    include,
                    "includes name more than \(Self.maximumIncludes) files, or are nested more than "
                        + "\(Self.maximumDepth) deep",
                    remedy: "include fewer files"))
            return
        }
        included[identity] = include.location
        add(text, file, Chain(files: chain.files + [(file.text, identity)]))
    }

    private mutating func contents(
        of path: String, _ file: FileName, namedAt place: DocumentLocation
    ) -> (text: String, Identity)? {
        let isMain = place == .file(file)
        let subject = isMain ? "the file" : "the included file \(Spelling.quoted(file.text))"
        do throws(FileProblem) {
            let opened = try RegularFile(path: path)
            stamp.add(FileStamp(path, opened.status))
            let bytes = try opened.read(limit: ServerConfiguration.maximumFileSize)
            let identity = Identity(device: UInt64(opened.status.st_dev), inode: UInt64(opened.status.st_ino))
            if let text = String(validating: bytes, as: UTF8.self) { return (text, identity) }
            failures.append(
                ConfigurationError.Problem(
                    at: .text(file, TextPosition(firstInvalidIn: bytes)),
                    "the file is not UTF-8 text from here, expected UTF-8", remedy: "save it in that encoding"))
        } catch .tooLarge {
            failures.append(
                ConfigurationError.Problem(
                    at: place, "\(subject) is larger than 64 MiB, expected at most that",
                    remedy: "split or shorten it"))
        } catch {
            if let stamp = FileStamp(path) { self.stamp.add(stamp) } else { stamp.add(missing: path) }
            failures.append(
                ConfigurationError.Problem(
                    at: place, "\(subject) cannot be read (\(error))", remedy: error.remedy))
        }
        return nil
    }

    private func problem(
        _ include: Located<String>, _ message: String, remedy: String
    ) -> ConfigurationError.Problem {
        ConfigurationError.Problem(at: include.location, message, remedy: remedy)
    }

    /// The folder of a path with its slash. Empty if the path has none.
    private static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

    /// The folder of a relative path, without `./`.
    private static func prefix(_ path: String) -> String {
        let folder = folder(of: path)
        return folder.hasPrefix("./") ? String(folder.dropFirst(2)) : folder
    }
}

extension TextPosition {
    /// The position of the first byte that is not part of a UTF-8 sequence.
    fileprivate init(firstInvalidIn bytes: [UInt8]) {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var line = 1
        var column = 1
        while case .valid(let encoded) = parser.parseScalar(from: &iterator) {
            let isNewline = encoded.first == UInt8(ascii: "\n")
            line += isNewline ? 1 : 0
            column = isNewline ? 1 : column + 1
        }
        self.init(line: line, column: column)
    }
}

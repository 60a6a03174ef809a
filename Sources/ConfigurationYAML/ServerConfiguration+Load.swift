public import ConfigurationModel
import LinuxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ServerConfiguration {
    /// Reads and validates the file at `path`. Relative paths in it start from its folder.
    ///
    /// - Throws: every problem, or the one that prevents reading: the file is missing, not permitted, not a regular
    ///   file, larger than ``maximumFileSize`` or not UTF-8.
    public static func load(path: String) throws(ConfigurationError) -> ServerConfiguration {
        let bytes = try contents(of: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem(
                .text(FileName(path), firstInvalid(in: bytes)), "the file is not UTF-8 text from here, expected UTF-8",
                remedy: "save it in that encoding")
        }
        return try parse(yaml: text, file: path, baseFolder: try folder(of: path))
    }

    private static func contents(of path: String) throws(ConfigurationError) -> [UInt8] {
        do throws(FileProblem) {
            return try RegularFile.contents(of: path, limit: maximumFileSize)
        } catch .tooLarge {
            throw problem(
                .file(FileName(path)), "the file is larger than 64 MiB, expected at most that",
                remedy: "split or shorten it")
        } catch {
            throw problem(.file(FileName(path)), "the file cannot be read (\(error))", remedy: error.remedy)
        }
    }

    /// The absolute path of the file's folder, symbolic links not resolved.
    private static func folder(of path: String) throws(ConfigurationError) -> String {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if folder.utf8.first == UInt8(ascii: "/") { return folder }
        guard let buffer = getcwd(nil, 0) else {
            let reason = FileProblem.last
            throw problem(.file(FileName(path)), "the file cannot be read (\(reason))", remedy: reason.remedy)
        }
        defer { free(buffer) }
        let current = String(cString: buffer)
        if folder == "." { return current }
        return current == "/" ? "/\(folder)" : "\(current)/\(folder)"
    }

    /// The position of the first byte that is not part of a UTF-8 sequence.
    private static func firstInvalid(in bytes: [UInt8]) -> TextPosition {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var line = 1
        var column = 1
        while case .valid(let encoded) = parser.parseScalar(from: &iterator) {
            let isNewline = encoded.first == UInt8(ascii: "\n")
            line += isNewline ? 1 : 0
            column = isNewline ? 1 : column + 1
        }
        return TextPosition(line: line, column: column)
    }

    private static func problem(
        _ location: DocumentLocation, _ message: String, remedy: String
    ) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationError.Problem(at: location, message, remedy: remedy)])
    }
}

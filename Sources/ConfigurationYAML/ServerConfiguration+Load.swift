public import ConfigurationModel
import Glibc
import LinuxSupport

/// What reading a configuration led to.
public struct ConfigurationReading: Sendable {
    /// The configuration, or every problem.
    public let result: Result<ServerConfiguration, ConfigurationError>
    /// Of all its files, also of those that could not be read. Taken before they were read.
    public let stamp: ConfigurationStamp
}

extension ServerConfiguration {
    /// Reads and validates the file at `path`, with the files that it includes. A relative path in a file starts from
    /// that file's folder.
    ///
    /// - Throws: every problem, or those that prevent reading: a file is missing, not permitted, not a regular file,
    ///   larger than ``maximumFileSize``, not UTF-8 or not YAML.
    public static func load(path: String) throws(ConfigurationError) -> ServerConfiguration {
        try read(path: path).result.get()
    }

    /// The same, with the stamp of what was read.
    public static func read(path: String) -> ConfigurationReading {
        var files = ConfigurationFiles()
        do throws(ConfigurationError) {
            let folder = try folder(of: path)
            files.add(path: path, FileName(path, folder: folder))
            let result = files.configuration(document: path, baseFolder: folder)
            return ConfigurationReading(result: result, stamp: files.stamp)
        } catch { return ConfigurationReading(result: .failure(error), stamp: files.stamp) }
    }

    /// The absolute path of the file's folder, symbolic links not resolved.
    private static func folder(of path: String) throws(ConfigurationError) -> String {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if folder.utf8.first == UInt8(ascii: "/") { return folder }
        guard let buffer = getcwd(nil, 0) else {
            let reason = FileProblem.last
            throw ConfigurationError(problems: [
                ConfigurationError.Problem(
                    at: .file(FileName(path)), "the file cannot be read (\(reason))", remedy: reason.remedy)
            ])
        }
        defer { free(buffer) }
        let current = String(cString: buffer)
        if folder == "." { return current }
        return current == "/" ? "/\(folder)" : "\(current)/\(folder)"
    }
}

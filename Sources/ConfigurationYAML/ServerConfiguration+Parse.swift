public import ConfigurationModel
import Glibc

extension ServerConfiguration {
    /// Reads the text of a configuration file and checks all of it.
    ///
    /// - Parameters:
    ///   - yaml: one YAML document.
    ///   - file: the file name for problems.
    ///   - baseFolder: the absolute path of the folder that relative paths start from.
    /// - Throws: every problem, sorted by location. A text that is not YAML, has an anchor or alias, or repeats a key
    ///   in a mapping has only that problem: nothing after it can be read.
    public static func parse(
        yaml: String, file: String, baseFolder: String
    ) throws(ConfigurationError) -> ServerConfiguration {
        var files = ConfigurationFiles()
        files.add(text: yaml, FileName(file, folder: baseFolder))
        return try files.configuration(document: file, baseFolder: baseFolder).get()
    }
}

extension PathVariables {
    /// The variables of this process.
    static let ofProcess = PathVariables { name in getenv(name).map { String(cString: $0) } }
}

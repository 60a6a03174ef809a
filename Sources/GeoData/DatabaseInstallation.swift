import Glibc
import LinuxSupport

/// A database at the path where the daemon reads it, and the one before it.
///
/// The path leads to a complete database at any time: files are only renamed onto it.
public struct DatabaseInstallation: Sendable {
    /// The path, with links resolved if it exists.
    public let path: String

    public init(path: String) {
        self.path = Self.realPath(path) ?? path
    }

    /// The database before the last update.
    public var previousPath: String { path + ".previous" }
    /// A file next to the database, for this process.
    public var temporaryPath: String { "\(path).update-\(getpid())" }

    /// Figures of a database file.
    public struct Figures: Sendable, Equatable {
        public let type: String
        /// Seconds since 1970.
        public let buildEpoch: UInt64
        /// Networks with data.
        public let networks: Int
        /// Nodes of the search tree.
        public let nodes: Int

        /// Reads all of a file.
        ///
        /// - Throws: why it is no database that the daemon can use.
        public init(of path: String) throws(GeoDataError) {
            let data = try GeoData.load(path: path)
            self.init(type: data.type, buildEpoch: data.buildEpoch, networks: data.networks, nodes: data.nodes)
        }

        init(type: String, buildEpoch: UInt64, networks: Int, nodes: Int) {
            (self.type, self.buildEpoch, self.networks, self.nodes) = (type, buildEpoch, networks, nodes)
        }

        /// Whether this has less than nine tenths of the networks or nodes of `earlier`.
        func isShrunk(from earlier: Figures) -> Bool {
            networks * 10 < earlier.networks * 9 || nodes * 10 < earlier.nodes * 9
        }
    }

    /// What an update or a rollback did.
    public struct Outcome: Sendable {
        public let installed: Figures
        /// `nil`: there was none, or none that can be read.
        public let earlier: Figures?
    }

    /// Puts the file at ``temporaryPath`` in place, and keeps the one that was there.
    ///
    /// - Parameter isForced: whether it may be much smaller than the one in place.
    /// - Throws: why it is refused. Nothing has changed then.
    public func install(isForced: Bool) throws(GeoDataError) -> Outcome {
        let installed = try Figures(of: temporaryPath)
        let earlier = try? Figures(of: path)
        if let earlier, !isForced, installed.isShrunk(from: earlier) {
            throw GeoDataError(
                path: temporaryPath,
                problem: "has \(installed.networks) networks and \(installed.nodes) nodes, and the one in place has "
                    + "\(earlier.networks) and \(earlier.nodes): it lost more than a tenth. Check the source, or use "
                    + "--force")
        }
        do throws(SystemError) {
            try takeOverPermissions()
            try sync(temporaryPath)
            if earlier != nil { try keep() }
            try call("rename") { rename(temporaryPath, path) }
            try syncFolder()
        } catch {
            throw GeoDataError(path: path, problem: "cannot be replaced (\(error))")
        }
        return Outcome(installed: installed, earlier: earlier)
    }

    /// Exchanges the database and the one before it, so that a second call undoes the first.
    public func rollBack() throws(GeoDataError) -> Outcome {
        let installed = try Figures(of: previousPath)
        let earlier = try? Figures(of: path)
        do throws(SystemError) {
            unlink(temporaryPath)
            let exists = access(path, F_OK) == 0
            if exists { try call("link") { link(path, temporaryPath) } }
            try call("rename") { rename(previousPath, path) }
            if exists { try call("rename") { rename(temporaryPath, previousPath) } }
            try syncFolder()
        } catch {
            throw GeoDataError(path: path, problem: "cannot be replaced (\(error))")
        }
        return Outcome(installed: installed, earlier: earlier)
    }

    /// Gives the file in place a second name, without a moment in which it has none.
    private func keep() throws(SystemError) {
        let name = "\(previousPath).\(getpid())"
        unlink(name)
        try call("link") { link(path, name) }
        try call("rename") { rename(name, previousPath) }
    }

    /// The daemon may run as another user than the one who updates.
    private func takeOverPermissions() throws(SystemError) {
        var state = stat()
        guard stat(path, &state) == 0 else {
            return try call("chmod") { chmod(temporaryPath, 0o644) }
        }
        try call("chmod") { chmod(temporaryPath, state.st_mode & 0o777) }
        // Only root may; another user keeps the file, which has the same mode.
        _ = chown(temporaryPath, state.st_uid, state.st_gid)
    }

    private func syncFolder() throws(SystemError) {
        try sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    }

    private func sync(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try call("open") { descriptor < 0 ? -1 : 0 }
        defer { close(descriptor) }
        try call("fsync") { fsync(descriptor) }
    }

    private func call(_ name: StaticString, _ body: () -> CInt) throws(SystemError) {
        guard body() == 0 else { throw SystemError.last("\(name)") }
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}

import ConfigurationModel
import LinuxSupport

/// A source file of location data, in the version that was last read successfully.
struct GeoSource<Content: Sendable>: Sendable {
    /// The content. Each reading is a distinct object.
    final class Reading: Sendable {
        let content: Content

        init(_ content: Content) { self.content = content }
    }

    let path: String
    private(set) var reading: Reading
    /// The stamp of the file that was read.
    private(set) var stamp: FileStamp?
    /// The part of the configuration that the content was last checked against.
    private var suited: UInt64
    /// Why the file's current content is not used. The previous content stays in use.
    private(set) var failure: Failure?

    struct Failure: Sendable {
        let problems: [String]
        /// The file that failed. Nil where there is none.
        let stamp: FileStamp?
        /// The part of the configuration that it failed against.
        let requirement: UInt64
    }

    var content: Content { reading.content }

    /// Whether the file looks as it did when it was read, or failed.
    var isUpToDate: Bool {
        guard let failure else { return stamp?.isUpToDate ?? true }
        return failure.stamp?.isUpToDate ?? (FileStamp(path) == nil)
    }

    /// Reads the file at `setting`, unless `earlier` has the same content.
    ///
    /// If the file cannot be used, the previous content stays in use, with `failure` set.
    ///
    /// - Parameters:
    ///   - requirement: the part of the configuration that `refuse` depends on.
    ///   - refuse: why valid content is not accepted; empty when it is.
    ///   - read: throws each problem with its remedy but without its place in the configuration. A problem that begins
    ///     with the file's path and a colon has its own place.
    /// - Throws: `LoadProblem` when nothing was read from there before.
    init(
        _ setting: PathSetting, of configuration: ServerConfiguration, earlier: GeoSource?, requirement: UInt64 = 0,
        refuse: (Content) -> [String] = { _ in [] }, read: (String) throws(LoadProblem) -> Content
    ) throws(LoadProblem) {
        let path = setting.path
        func located(_ problem: String) -> String {
            problem.hasPrefix("\(path):") ? problem : "\(configuration.problem(at: setting.mark, problem))"
        }
        if var known = earlier, known.path == path {
            if let stamp = known.stamp, stamp.isCurrent {
                let problems =
                    known.suited == requirement && known.failure == nil ? [] : refuse(known.content).map(located)
                known.failure =
                    problems.isEmpty ? nil : Failure(problems: problems, stamp: stamp, requirement: requirement)
                if problems.isEmpty { known.suited = requirement }
                self = known
                return
            }
            if let failure = known.failure, failure.requirement == requirement,
                failure.stamp?.isCurrent ?? (FileStamp(path) == nil)
            {
                self = known
                return
            }
        }
        // Taken before reading: a write during the read then makes the stamp stale.
        let stamp = FileStamp(path)
        do throws(LoadProblem) {
            let content = try read(path)
            let problems = refuse(content)
            guard problems.isEmpty else { throw LoadProblem(problems) }
            (self.path, reading, self.stamp, failure) = (path, Reading(content), stamp, nil)
            suited = requirement
        } catch {
            let problems = error.problems.map(located)
            guard var known = earlier, known.path == path else { throw LoadProblem(problems) }
            known.failure = Failure(problems: problems, stamp: stamp, requirement: requirement)
            self = known
        }
    }
}

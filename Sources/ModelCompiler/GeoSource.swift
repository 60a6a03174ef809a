import ConfigurationModel

/// A file of knowledge that outlives what it is made of: as it was read last.
struct GeoSource<Content: Sendable>: Sendable {
    /// What was read, told from what is read later by identity.
    final class Reading: Sendable {
        let content: Content

        init(_ content: Content) { self.content = content }
    }

    let path: String
    private(set) var reading: Reading
    /// Of the file that was read.
    private(set) var stamp: FileStamp?
    /// What of the configuration the content was last found to suit.
    private var suited: UInt64
    /// Why what the file holds now is not used: what was read before stays.
    private(set) var failure: Failure?

    struct Failure: Sendable {
        let problems: [String]
        /// The file that failed; nil where there is none.
        let stamp: FileStamp?
        /// What of the configuration it failed by.
        let requirement: UInt64
    }

    var content: Content { reading.content }

    /// Whether the file looks as when it was read, or failed.
    var isUpToDate: Bool {
        guard let failure else { return stamp?.isUpToDate ?? true }
        return failure.stamp?.isUpToDate ?? (FileStamp(path) == nil)
    }

    /// Reads the file at `setting`, unless `earlier` is of the same.
    ///
    /// What cannot be used leaves what was read from the file before in use, with `failure`.
    /// - Parameters:
    ///   - requirement: what of the configuration `refuse` looks at.
    ///   - refuse: why sound content is not wanted; empty when it is.
    ///   - read: throws each problem with its remedy, not with its place in the configuration. One that begins with the file's
    ///     path and a colon has a place of its own.
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
        // Before the reading: what is written meanwhile makes the file another one than the stamp's.
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

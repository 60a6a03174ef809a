import ControlFailures

/// The read job under way, and the ones that wait.
struct ReadJobs {
    private var current: (id: ReadJob.ID, job: ReadJob)?
    private var waiting: [ReadJob] = []

    /// Callers of a reload that wait together share one job.
    mutating func add(_ kind: ReadJob.Kind, for reply: CheckedContinuation<ReadJob.Outcome, Never>) {
        if case .reload = kind, let shared = waiting.firstIndex(where: \.isReload) {
            waiting[shared].replies.append(reply)
        } else {
            waiting.append(ReadJob(kind: kind, replies: [reply]))
        }
    }

    /// Starts the next job, unless one is under way or none waits.
    mutating func start(_ id: () -> ReadJob.ID) -> (id: ReadJob.ID, kind: ReadJob.Kind)? {
        guard current == nil, !waiting.isEmpty else { return nil }
        let next = (id: id(), job: waiting.removeFirst())
        current = next
        return (next.id, next.job.kind)
    }

    /// The kind of the job with this number; `nil`: it is not under way any more.
    func kind(of id: ReadJob.ID) -> ReadJob.Kind? { current.flatMap { $0.id == id ? $0.job.kind : nil } }

    /// The job has read everything.
    ///
    /// - Returns: false when it was abandoned meanwhile.
    mutating func markRead(_ id: ReadJob.ID) -> Bool {
        guard current?.id == id else { return false }
        current?.job.isRead = true
        return true
    }

    /// Fails the jobs that have not begun.
    ///
    /// - Returns: the reload or change that is still reading, which the caller has to fail too.
    mutating func abandon(_ refusal: ControlFailure) -> (id: ReadJob.ID, trigger: ReloadTrigger)? {
        for job in waiting { job.answer(.failure(refusal)) }
        waiting = []
        guard let current, !current.job.isRead, let trigger = current.job.readsAlone else { return nil }
        return (current.id, trigger)
    }

    /// The job has ended. Its callers are still to be answered.
    mutating func finish(_ id: ReadJob.ID) -> ReadJob? {
        guard let ended = current, ended.id == id else { return nil }
        current = nil
        return ended.job
    }
}

extension ReadJob {
    fileprivate var isReload: Bool { if case .reload = kind { true } else { false } }

    /// What asked for a job that reads while other commands run; `nil`: it reads in the queue.
    fileprivate var readsAlone: ReloadTrigger? {
        switch kind {
        case .reload(let trigger): trigger
        case .apply: .command
        case .keep: nil
        }
    }
}

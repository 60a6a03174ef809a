public import StateStore

extension Journal: StateStore {
    public func readRRsets() throws(JournalProblem) -> KeptRRsets { try Self.read(path).rrsets }
}

import Access
import Testing

@Suite struct CallerTests {
    private static let root = Caller.account(LocalAccount(user: 0, name: "root", process: 7))
    private static let nameless = Caller.account(LocalAccount(user: 65_534, name: nil, process: 0))

    @Test("a local account has every right, a token only that to report")
    func rights() {
        #expect(Self.root.rights == Set(Right.allCases) && Self.nameless.rights == Set(Right.allCases))
        for token in [Caller.node("fra1"), .node(nil), .agent("tower"), .automation("deploy"), .observer("ams")] {
            #expect(token.rights == [.report], "\(token)")
        }
    }

    @Test("what is recorded begins with who was identified; what they say comes behind")
    func author() {
        #expect(Self.root.author() == "uid 0 (root)")
        #expect(Self.root.author(remarks: "alice", "new disks") == "uid 0 (root): alice, new disks")
        #expect(Self.nameless.author(remarks: nil, "new disks") == "uid 65534: new disks")
        #expect(Self.nameless.author(remarks: "uid 0 (root)", "") == "uid 65534: uid 0 (root)")
        #expect(Caller.agent("tower").author(remarks: "no light") == "external tower: no light")
        #expect(Caller.author("tower", remarks: [nil, nil]) == "tower")
    }
}

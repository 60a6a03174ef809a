import DNSWire
import IPNetworks
import Simulation
import Testing

@Suite("Query log")
struct QueryLogTests {
    private func read(_ text: String, _ family: IPFamily = .v4) throws -> QueryLog {
        try QueryLog(text, name: try DomainName("www.example.com"), family: family)
    }

    @Test("queries of one client form one group, in the order of first queries")
    func groups() throws {
        let log = try read(
            """
            # client name type
            198.51.100.7 www.example.com A

            192.0.2.0/24
            198.51.100.7\tWWW.example.COM.\r
            """)
        #expect(log.groups.map(\.weight) == [2, 1])
        #expect(log.groups[0].subnet == nil)
        #expect(log.groups[0].sender == IPAddress("198.51.100.7"))
        #expect(log.groups[1].subnet?.sourceLength == 24)
        #expect(log.others == 0)
    }

    @Test("other names and types are counted, not replayed")
    func others() throws {
        let log = try read("192.0.2.1 mail.example.com\n192.0.2.1 www.example.com A\n192.0.2.1\n", .v6)
        #expect(log.others == 2)
        #expect(log.groups.map(\.weight) == [1])
    }

    @Test(
        "a malformed line is an error with its number and the reason",
        arguments: [
            ("192.0.2.1\n192.0.2.0/33", 2, "begins with \"192.0.2.0/33\""),
            ("192.0.2.1/24", 1, "without host bits"),
            ("192.0.2.1 www..com", 1, "not a domain name"),
            ("# x\n\n192.0.2.1 www.example.com A IN", 3, "has 4 words"),
        ])
    func problems(text: String, line: Int, words: String) {
        #expect { try read(text) } throws: { error in
            guard let problem = error as? QueryLog.Problem else { return false }
            return problem.line == line && problem.text.contains(words)
        }
    }
}

import Foundation
import ManagementServer
import Testing

@Suite struct AccountNamesTests {
    @Test("accounts have the names of passwd(5), and changes of the file are noticed")
    func names() throws {
        let path = "/tmp/nearcast-test-\(getpid())-passwd"
        defer { unlink(path) }
        func write(_ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
        try write(
            "root:x:0:0:root:/root:/bin/bash\n# nothing\nann:x:1000:1000::/home/ann:\nsecond:x:0:0:::\nbroken:x\n")
        let accounts = AccountNames(path: path)
        #expect(accounts.name(of: 0) == "root" && accounts.name(of: 1_000) == "ann" && accounts.name(of: 7) == nil)
        try write("ann:x:7:7:::\nevil\u{1b}[2J:x:8:8:::\n")
        #expect(accounts.name(of: 7) == "ann" && accounts.name(of: 0) == nil && accounts.name(of: 1_000) == nil)
        #expect(accounts.name(of: 8)?.contains("\u{1b}") == false)
    }

    @Test("without the file nobody has a name")
    func missing() { #expect(AccountNames(path: "/tmp/nearcast-test-none/passwd").name(of: 0) == nil) }
}

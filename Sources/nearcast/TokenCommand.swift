import Access
import ArgumentParser

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make a token for a client that reports over the network.",
        discussion: """
            Prints the token, which is stored nowhere, and its line for the file health.reports.tokens. The line holds no \
            secret.
            """)

    @Argument(help: "What it reports as: node, external, automation or observer.")
    var kind: Kind

    @Argument(help: "A node id (* for any node), or a name.")
    var name: String

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case node, external, automation, observer
    }

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...63).contains(name.utf8.count), name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7f })
        else { throw ValidationError("a name has 1 to 63 ASCII characters without spaces") }
    }

    func run() {
        struct Made: Encodable {
            let token: String
            let line: String
        }
        let token = BearerTokens.make()
        let made = Made(token: token, line: BearerTokens.line(kind.rawValue, name, token: token))
        output.write(made) { _ in "token  \(made.token)\nline   \(made.line)\n" }
    }
}

public import ArgumentParser
import CommandLineText
import ControlAPI
import Foundation
import Glibc

/// What all wishes for a node have in common.
struct WishOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Why, kept with the change.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("Who wishes it. (default: $SUDO_USER, else $USER, else the account)", valueName: "name"))
    var author: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    /// Asks for it, and tells what came of it.
    func ask(
        _ state: NodeStateChange.Wish, of id: String, startsAt: Date? = nil, for length: Length? = nil,
        force: Bool = false
    ) throws(ControlFailure) {
        let change = NodeStateChange(
            state: state, reason: reason, author: callerName, startsAt: startsAt,
            forSeconds: length?.seconds, force: force ? true : nil)
        let node = try daemon.client.setNode(id, to: change)
        output.write(node) { _ in node.changeText }
    }

    /// Who wishes it.
    var callerName: String? {
        if let author { return author }
        let variables = ["SUDO_USER", "USER"].compactMap(Terminal.variable)
        // Services and cron have neither.
        return variables.first { !$0.isEmpty } ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    }
}

/// A length of time, as in `90s`, `30m`, `2h` or `7d`.
struct Length: ExpressibleByArgument {
    let seconds: Int

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count > 0,
            count <= 31_622_400
        else { return nil }
        seconds = count * unit
    }
}

/// A point of time by RFC 3339, as in `2027-01-31T22:00:00Z`.
struct TimePoint: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        guard let date = try? Date(argument, strategy: .iso8601) else { return nil }
        self.date = date
    }
}

extension NodeStateChange.Wish: ExpressibleByArgument {}

import ConfigurationModel
import ConfigurationYAML
import FuzzSupport

/// The bytes as a configuration file; the files that it names are not read.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Of another encoding it is refused before, by what reads the file.
    let bytes = UnsafeRawBufferPointer(start: data, count: count)
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    let reading = Reading(text)
    if let configuration = reading.configuration { check(configuration) }
    check(reading.problems, text)
    // A byte order mark is no part of the text, and a comment moves all that follows down by a line.
    guard text.unicodeScalars.first != "\u{FEFF}" else { return 0 }
    require(Reading("\u{FEFF}" + text).problems == reading.problems, "other problems behind a byte order mark")
    let below = Reading("# a comment\n" + text).problems
    // Some messages tell of other lines.
    let (words, wordsBelow) = (reading.problems.map(withoutDigits), below.map(withoutDigits))
    require(wordsBelow == words, "below a comment \(wordsBelow), else \(words)")
    return 0
}

private func withoutDigits(_ problem: ConfigurationError.Problem) -> String {
    String(words(problem).unicodeScalars.filter { !("0"..."9").contains($0) })
}

private func words(_ problem: ConfigurationError.Problem) -> String {
    "\(problem.message): \(problem.remedy ?? "")"
}

private struct Reading {
    private(set) var configuration: ServerConfiguration?
    private(set) var problems: [ConfigurationError.Problem] = []

    init(_ text: String) {
        do throws(ConfigurationError) {
            configuration = try ServerConfiguration.parse(
                yaml: text, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
        } catch {
            problems = error.problems
            require(!problems.isEmpty, "refused without a problem")
        }
    }
}

/// Every problem has a place in the text, and they are in its order.
private func check(_ problems: [ConfigurationError.Problem], _ text: String) {
    let lines = text.utf8.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.count
    for problem in problems {
        // Lists of what is known make some messages long.
        requireReadable(words(problem), atMost: 4_096)
        require(problem.remedy?.isEmpty == false, "\(problem): without a remedy")
        guard case .text(let file, let place) = problem.location else {
            require(false, "\(problem): at no place of a text")
            continue
        }
        require(file.text == "nearcast.yaml", "\(problem): of another file")
        // libyaml also ends lines at U+0085, U+2028 and U+2029.
        let separators = text.unicodeScalars.count { ["\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
        require((1...lines + separators + 1).contains(place.line), "\(problem): no such line of \(lines)")
        require((1...text.unicodeScalars.count + 1).contains(place.column), "\(problem): no such column")
    }
    let places = problems.map(\.location)
    require(zip(places, places.dropFirst()).allSatisfy { $0 <= $1 }, "the problems are not in the order of the file")
}

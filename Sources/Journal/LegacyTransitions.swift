import Foundation
import StateStore

/// The journal of earlier versions: one JSON object a line in `transitions.jsonl`, and before that in
/// `transitions.1.jsonl`. It is taken over, and then it is gone.
struct LegacyTransitions: Sendable {
    private let paths: [String]

    init(folder: String) { paths = ["/transitions.1.jsonl", "/transitions.jsonl"].map { folder + $0 } }

    /// As a line has it; times to the second.
    private struct Line: Decodable {
        var sequence: UInt64
        var time: Date
        var node, from, to, cause, authority: String
        var evidence, author: String?
        var epoch: UInt64
    }

    /// Lines that can be read, oldest first, and how many cannot.
    private func lines() -> (found: [Line], unreadable: Int) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        var (found, unreadable): ([Line], Int) = ([], 0)
        for path in paths {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            for line in data.split(separator: UInt8(ascii: "\n")) {
                if let line = try? decoder.decode(Line.self, from: line) { found.append(line) } else { unreadable += 1 }
            }
        }
        return (found, unreadable)
    }

    /// Has the changes written, in front of all that come, and removes the files once that is done.
    func move(into journal: Journal) async {
        let paths = paths.filter { FileIdentity($0)?.isRegular == true }
        guard !paths.isEmpty else { return }
        let (found, unreadable) = lines()
        // What is in the file already was taken over by a process that did not come to removing these.
        let newest = await journal.newestTime()
        let missing = found.suffix(journal.limit).filter { Int64($0.time.timeIntervalSince1970) * 1_000_000 > newest }
        journal.write(
            missing.map { line in
                JournalRecord(
                    sequence: journal.nextNumber(), time: Int64(line.time.timeIntervalSince1970) * 1_000_000,
                    node: line.node, from: line.from, to: line.to, cause: line.cause, authority: line.authority,
                    evidence: line.evidence, author: line.author, epoch: line.epoch)
            })
        guard await journal.flush() == nil else { return }
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
        journal.note(
            "\(missing.count) changes of nodes' states were taken over from \(paths.joined(separator: " and "))"
                + (unreadable > 0 ? "; \(unreadable) lines could not be read" : ""))
    }
}

import Foundation
import RegularFiles

/// Where earlier versions kept what outlives the process: each node's slot, what people asked for and what its checks say. It is
/// taken over into the journal, and removed; one that is there was written since, and knows better than the journal.
struct StateFile: Sendable {
    struct Node: Codable, Equatable {
        var slot: Int
        /// Absent: never set by a person.
        var state: String?
        var setBy: String?
        var changedAt: Date?
        /// When `state` ends; absent: never.
        var until: Date?
        /// Times of maintenance, now or later.
        var windows: [Window]?
        /// What the checks say, `up`, `down` or `unknown`; absent where nothing is checked.
        var checks: String?
    }

    struct Window: Codable, Equatable {
        var begins: Date
        var ends: Date
        var setBy: String
    }

    private struct Contents: Codable {
        var version = 1
        var nodes: [String: Node]
    }

    let path: String

    init(folder: String) { path = folder + "/nodes.json" }

    /// The nodes kept; `nil` when there is no file.
    ///
    /// - Throws: a `StateFileError` when the file is there and cannot be used.
    func load() throws(StateFileError) -> [String: Node]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = Data(try RegularFile.contents(of: path))
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let contents = try decoder.decode(Contents.self, from: data)
            guard contents.version == 1 else {
                throw StateFileError(
                    message:
                        "state file \(path) is of version \(contents.version), expected 1: a later nearcastd wrote it; "
                        + "run that one, or remove the file")
            }
            for (id, node) in contents.nodes {
                guard let state = node.state, !["up", "down", "drained"].contains(state) else { continue }
                throw StateFileError(
                    message: "state file \(path) gives node \"\(id)\" the state \"\(state)\", expected up, down or "
                        + "drained: correct it or remove the file")
            }
            return contents.nodes
        } catch let error as StateFileError {
            throw error
        } catch let error as FileProblem {
            throw StateFileError(
                message:
                    "state file \(path) cannot be read (\(error)): correct or remove it; without it every node starts "
                    + "up")
        } catch {
            throw StateFileError(
                message: "state file \(path) cannot be read (\(error.localizedDescription)): correct or remove it; "
                    + "without it every node starts up")
        }
    }

    /// What it says is in the journal now.
    func remove() throws { try FileManager.default.removeItem(atPath: path) }
}

struct StateFileError: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

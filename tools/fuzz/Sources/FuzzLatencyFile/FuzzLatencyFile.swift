import FuzzSupport
import RoundTrips
import Steering

private let file = NamelessFile()
private let nodes = ["fra1": 0, "nyc1": 1]

/// The bytes as a file of measured times, written by people and by the daemon.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: count))
    let rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let carriageReturns = Array(rows.joined(separator: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]))
    switch (read(bytes), read(carriageReturns)) {
    case (.success(let table), let other):
        require(other == .success(table), "CRLF makes other times")
        // The daemon's own files are read less strictly, and to the same times.
        require(read(bytes, isLearned: true) == .success(table), "other times when they are learned")
        require(read(text(of: table)) == .success(table), "other times when they are written")
    case (.failure(let problems), let other):
        check(problems, rows.count)
        require(other == .failure(problems), "other problems with CRLF")
    }
    if let text = String(validating: bytes, as: UTF8.self) { checkLearned(text) }
    return 0
}

private enum Reading: Equatable {
    case success(LatencyTable)
    case failure([String])
}

private func read(_ bytes: [UInt8], isLearned: Bool = false) -> Reading {
    file.hold(bytes)
    do throws(LoadProblem) {
        let read = try LatencyFile(
            path: file.path, nodes: Set(nodes.keys), isLearned: isLearned, LoadingEffort())
        require(read.problems(nodes: Set(nodes.keys)).isEmpty, "a node of the file is not known, and was not told")
        let table = read.table(nodes: nodes)
        require(isLearned || table.rows.count == read.places.count, "places are lost")
        require(table.rows.values.allSatisfy { $0.values.allSatisfy((0...60_001).contains) }, "a time without range")
        return .success(table)
    } catch { return .failure(error.problems) }
}

/// Every problem has its line, in the order of the file.
private func check(_ problems: [String], _ rows: Int) {
    require((1...100).contains(problems.count), "\(problems.count) problems")
    for problem in problems { requireReadable(problem) }
    guard problems[0].hasPrefix(file.path) else { return require(problems.count == 1, "\(problems)") }
    let lines = problems.map { problem in
        problem.dropFirst(file.path.count).split(separator: ":").first.flatMap { Int($0) } ?? 0
    }
    require(lines.allSatisfy((1...rows).contains), "\(problems): no such lines")
    require(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 }, "\(lines): not in order")
}

/// A table as a file, the last place first: order means nothing.
private func text(of table: LatencyTable) -> [UInt8] {
    let names = Dictionary(uniqueKeysWithValues: nodes.map { ($0.value, $0.key) })
    return table.rows.map { ($0.key.word, $0.value) }.sorted { $0.0 > $1.0 }.flatMap { place, times in
        times.flatMap { node, time in
            // 60000.5 is read as 60001, which is no time that a file may give.
            Array("\(place),\(names[node] ?? ""),\(time > 60_000 ? "60000.5" : "\(time)")\n".utf8)
        }
    }
}

extension GeoRule.Match {
    /// As a latency file has it.
    fileprivate var word: String {
        switch self {
        case .country(let country): country
        case .region(let country, let region): "\(country)-\(region)"
        case .continent(let continent): "continent:\(continent)"
        case .label(let label, let specificity): specificity == 1 ? "label:\(label)" : label
        case .any: fatalError("a time for every place")
        }
    }
}

/// Learned times are read back as they were written, to the tenth of a millisecond, and as a latency file.
private func checkLearned(_ text: String) {
    let times = LatencyLines.times(node: "fra1", in: text)
    let written = LatencyLines.text(node: "fra1", times)
    require(LatencyLines.isOwn(written), "the daemon's own file is a stranger's")
    let again = LatencyLines.times(node: "fra1", in: written)
    require(again.count == times.count, "\(times.count) learned times, and \(again.count) when they are read again")
    for (place, time) in times {
        guard let second = again[place] else { fatalError("\(place.debugDescription): lost when it is written") }
        require(abs(second - time) < 0.051, "\(place): \(time) becomes \(second)")
    }
    require(LatencyLines.text(node: "fra1", again) == written, "written a second time it is another text")
}

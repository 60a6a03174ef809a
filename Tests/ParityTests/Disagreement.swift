import BPFRuntime
import FastPathDriver
import Fixtures
import IPNetworks
import Resolution
import Steering

/// A frame to which the program and the resolver give different replies, as text from which a test can be made.
struct Disagreement: CustomStringConvertible {
    let reason: String
    /// Where in the run it came, which repeats with its seed.
    let place: String
    let frame: [UInt8]
    let program: [UInt8]
    /// The resolver's message; empty for none.
    let resolver: [UInt8]
    /// Nodes that are not simply up: slot and word.
    let words: [(slot: Int, set: UInt32, word: UInt64)]

    var description: String {
        var lines = ["\(reason) (\(place))", "frame, \(frame.count) bytes:"]
        if let parsed = Frame(bytes: frame, isReply: false) {
            let headers = 8 + (parsed.source.family == .v4 ? 34 : 54) + parsed.tags.count
            lines += Self.hex("headers", frame.prefix(headers)) + Self.message(parsed.message)
            lines += Self.hex("behind it", frame.dropFirst(headers + parsed.message.count))
            lines.append("  from \(parsed.source) port \(parsed.sourcePort) to \(parsed.destination)")
        } else {
            lines += Self.hex("bytes", frame[...])
        }
        let reply = Frame(bytes: program)?.message
        lines.append("the program's \(reply == nil ? "frame" : "message"):")
        lines += reply.map { Self.message($0) } ?? Self.hex("bytes", program[...])
        lines.append("the resolver's message:")
        lines += resolver.isEmpty ? ["  none"] : Self.message(resolver)
        if let reply, let first = zip(reply, resolver).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            lines.append("they differ from byte \(first) on, and are \(reply.count) and \(resolver.count) bytes long")
        }
        lines.append(
            "nodes not simply up: "
                + words.map { "\($0.slot)/\($0.set): 0x\(String($0.word, radix: 16))" }.joined(separator: ", "))
        return lines.joined(separator: "\n")
    }

    /// Header, question and the rest; without a question of one name all the rest is one.
    private static func message(_ bytes: [UInt8]) -> [String] {
        var end = 12
        while end < bytes.count, bytes[end] > 0, bytes[end] < 64 { end += 1 + Int(bytes[end]) }
        end = end + 5 <= bytes.count && bytes[end] == 0 ? end + 5 : min(12, bytes.count)
        return hex("header", bytes.prefix(12)) + hex("question", bytes[min(12, end)..<end])
            + hex("records", bytes[end...])
    }

    private static func hex(_ title: String, _ bytes: ArraySlice<UInt8>) -> [String] {
        guard !bytes.isEmpty else { return [] }
        let digits = bytes.map { byte in (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16) }
        let text = String(decoding: bytes.map { 33...126 ~= $0 ? $0 : 46 }, as: UTF8.self)
        return ["  // \(title): \(text)"]
            + stride(from: 0, to: digits.count, by: 16).map { start in
                "  " + digits[start..<min(start + 16, digits.count)].joined(separator: ", ") + ","
            }
    }
}

extension BothPaths {
    /// Runs a frame's bytes through the program, and holds what comes out against the resolver.
    ///
    /// - Returns: whether it was the program's, and what is wrong with that.
    func judge(_ bytes: [UInt8]) throws -> (isTransmitted: Bool, wrong: Disagreement?) {
        let run = try maps.program.testRun(packet: bytes, room: 1024)
        func wrong(_ reason: String, _ expected: [UInt8] = []) -> Disagreement {
            let words = model.steering.nodes.flatMap { node in
                IPFamily.answered.map { (slot: node.slot, set: wordSet(of: $0), word: maps.words.word(node.slot, $0)) }
            }
            return Disagreement(
                reason: reason, place: "generation \(maps.generation)", frame: bytes, program: run.packet,
                resolver: expected, words: words.filter { $0.word & 0xff != 0 })
        }
        if run.returnValue == 2 {
            return (false, run.packet == bytes ? nil : wrong("a packet passed up must be as it came"))
        }
        guard let query = Frame(bytes: bytes, isReply: false) else {
            return (true, wrong("answered what is no whole datagram, by \(run.returnValue)"))
        }
        var expected: [UInt8] = []
        _ = query.message.withUnsafeBytes {
            resolver.respond(
                to: $0, from: query.source, port: query.sourcePort, over: .udp, at: Self.second, into: &expected)
        }
        guard run.returnValue == 3 else {
            return (true, expected.isEmpty ? nil : wrong("dropped what the resolver answers", expected))
        }
        guard let reply = Frame(bytes: run.packet) else {
            return (true, wrong("a reply with a wrong length or checksum", expected))
        }
        guard reply.message == expected else { return (true, wrong("another message", expected)) }
        let isBack =
            reply.source == query.destination && reply.destination == query.source && reply.tags == query.tags
            && reply.sourcePort == query.destinationPort && reply.destinationPort == query.sourcePort
            && run.packet[0..<12] == bytes[6..<12] + bytes[0..<6]
        return (true, isBack ? nil : wrong("the reply goes elsewhere than it came from", expected))
    }
}

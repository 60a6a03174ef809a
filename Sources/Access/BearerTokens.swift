public import ControlFailures
import LinuxSupport

/// The tokens of callers that may report over the network: the hash of each, and the caller that it identifies.
///
/// A file of lines `KIND NAME sha256:HEX`; empty lines and those that begin with `#` are ignored:
///
///     node fra1 sha256:2cf24dba…
///     node *    sha256:…           any node
///     external watchtower sha256:…
///     automation deployer sha256:…
///     observer ams sha256:…
///
/// The file holds no secret: tokens are long and random, so their hashes cannot be reversed.
public struct BearerTokens: Sendable {
    /// Lines a file may have.
    public static let maximumTokens = 16_384
    /// Bytes of a file.
    private static let maximumBytes = 4 << 20
    /// Bytes of a token, as it is sent.
    static let lengths = 16...256

    private struct Token: Sendable {
        let hash: [UInt8]
        let caller: Caller
    }

    /// By the first bytes of the hash.
    private let tokens: [UInt64: [Token]]
    public let count: Int

    /// Reads a file's text.
    ///
    /// - Throws: `invalid` with the line, as `tokens:3: …`.
    public init(_ text: String, file: String) throws(ControlFailure) {
        var tokens: [UInt64: [Token]] = [:]
        var places: [[UInt8]: Int] = [:]
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            func failure(_ message: String, _ remedy: String) -> ControlFailure {
                ControlFailure(.invalid, "\(file):\(index + 1): \(message)", remedy: remedy)
            }
            guard words.count == 3, let caller = Self.caller(words[0], String(words[1])) else {
                throw failure(
                    "malformed token line",
                    "write KIND NAME sha256:HEX, with node, external, automation or observer as kind")
            }
            guard let hash = Self.hash(words[2]) else {
                throw failure(
                    "malformed hash",
                    "write sha256: and 64 hexadecimal digits; `nearcast token` does")
            }
            if let place = places[hash] {
                throw failure("the same token is in line \(place)", "give each its own")
            }
            places[hash] = index + 1
            tokens[Self.index(hash), default: []].append(Token(hash: hash, caller: caller))
            guard places.count <= Self.maximumTokens else {
                throw failure("there are more than \(Self.maximumTokens) tokens", "let nodes share one: node *")
            }
        }
        self.tokens = tokens
        count = places.count
    }

    /// Reads a file.
    ///
    /// - Throws: `invalid` if it cannot be read, or with the line that is wrong.
    public init(contentsOf path: String) throws(ControlFailure) {
        let bytes: [UInt8]
        do throws(FileProblem) { bytes = try RegularFile.contents(of: path, limit: Self.maximumBytes) } catch {
            throw ControlFailure(.invalid, "\(path) cannot be read (\(error))", remedy: error.remedy)
        }
        try self.init(String(decoding: bytes, as: UTF8.self), file: path)
    }

    private static func index(_ hash: [UInt8]) -> UInt64 { hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    private static func caller(_ kind: Substring, _ name: String) -> Caller? {
        switch kind {
        case "node": .node(name == "*" ? nil : name)
        case "external": .agent(name)
        case "automation": .automation(name)
        case "observer": .observer(name)
        default: nil
        }
    }

    private static func hash(_ text: Substring) -> [UInt8]? {
        let digits = Array(text.utf8.dropFirst(7))
        guard text.hasPrefix("sha256:"), digits.count == 64 else { return nil }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// The caller that a token identifies; `nil` for an unknown token.
    ///
    /// Hashes are compared in constant time. The lookup before it can reveal part of a hash at most, and nothing about
    /// a token.
    public func caller(_ token: [UInt8]) -> Caller? {
        guard Self.lengths.contains(token.count) else { return nil }
        let hash = SHA256.hash(token)
        var found: Caller?
        for known in tokens[Self.index(hash)] ?? [] {
            var difference: UInt8 = 0
            for index in hash.indices { difference |= hash[index] ^ known.hash[index] }
            if difference == 0 { found = known.caller }
        }
        return found
    }

    /// The line of the file for a token.
    public static func line(_ kind: String, _ name: String, token: String) -> String {
        let digits = Array("0123456789abcdef")
        let hash = SHA256.hash(Array(token.utf8)).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
        return "\(kind) \(name) sha256:\(hash.joined())"
    }

    /// A new token: 32 random bytes, in hexadecimal digits.
    public static func make() -> String {
        let digits = Array("0123456789abcdef")
        return (0..<32).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return "\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }.joined()
    }
}

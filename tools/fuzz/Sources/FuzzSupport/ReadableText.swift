import VisibleText

/// What people are told has to be words that a terminal and a log can show, and not many: all of it may come from one
/// line of input.
public func requireReadable(_ message: String, atMost limit: Int = 2_048) {
    require(!message.isEmpty, "a problem without a message")
    require(message.utf8.count <= limit, "a message of \(message.utf8.count) bytes: \(message.prefix(200))")
    require(
        message.unicodeScalars.allSatisfy(VisibleText.isSeen),
        "a message with characters that are not seen: \(message.debugDescription)")
}

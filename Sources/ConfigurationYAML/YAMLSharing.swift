import CYaml
import ConfigurationModel

/// An anchor (`&name`) or an alias (`*name`) in a YAML text.
///
/// A configuration may have neither. An alias stands for everything its anchor holds: a few lines with aliases of
/// aliases stand for more values than any machine can hold, and the composer hashes each of them to find repeated keys.
struct YAMLSharing {
    /// As written, with its sign.
    let text: String
    let position: TextPosition

    /// The first one in `yaml`. `nil` when there is none before the end, or before what is not YAML.
    ///
    /// It reads the parser's events, which expand nothing: time and memory are linear in the text.
    static func first(in yaml: String) -> YAMLSharing? {
        let text = Array(yaml.utf8)
        // The parser keeps pointers to itself and to the text: both stay in place until it is deleted.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { return nil }
        defer { yaml_parser_delete(parser) }
        return text.withUnsafeBufferPointer { text in
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, text.baseAddress, text.count)
            return first(of: parser)
        }
    }

    private static func first(of parser: UnsafeMutablePointer<yaml_parser_t>) -> YAMLSharing? {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { return nil }
            defer { yaml_event_delete(&event) }
            let (sign, name): (String, UnsafeMutablePointer<UInt8>?) =
                switch event.type {
                case YAML_ALIAS_EVENT: ("*", event.data.alias.anchor)
                case YAML_SCALAR_EVENT: ("&", event.data.scalar.anchor)
                case YAML_SEQUENCE_START_EVENT: ("&", event.data.sequence_start.anchor)
                case YAML_MAPPING_START_EVENT: ("&", event.data.mapping_start.anchor)
                default: ("", nil)
                }
            if let name {
                let position = TextPosition(line: event.start_mark.line + 1, column: event.start_mark.column + 1)
                return YAMLSharing(text: sign + String(cString: name), position: position)
            }
            if event.type == YAML_STREAM_END_EVENT { return nil }
        }
    }
}

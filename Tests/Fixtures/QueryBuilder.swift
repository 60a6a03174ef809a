public import IPNetworks

/// A DNS query written byte by byte, so that malformed ones can be written too.
public struct QueryBuilder {
    public var id: UInt16 = 0x1234
    /// Third and fourth byte of the header; RD by default.
    public var flags: UInt16 = 0x0100
    public var name: [UInt8]
    public var type: UInt16
    public var recordClass: UInt16 = 1
    public var counts: (questions: UInt16, answers: UInt16, authority: UInt16) = (1, 0, 0)
    /// Nil: no OPT.
    public var opt: OPT?
    public var trailing: [UInt8] = []

    public struct OPT {
        public var payload: UInt16 = 1232
        public var version: UInt8 = 0
        public var extendedCode: UInt8 = 0
        public var flags: UInt16 = 0
        public var options: [UInt8] = []

        public init() {}

        /// Adds an option of any code and content.
        public mutating func add(_ code: UInt16, _ data: [UInt8]) {
            options += code.wire + UInt16(data.count).wire + data
        }

        /// Adds a well-formed client subnet.
        public mutating func add(subnet address: IPAddress, length: Int) {
            let bytes = address.masked(to: length).bytes.prefix((length + 7) / 8)
            add(8, UInt16(address.family.rawValue).wire + [UInt8(length), 0] + bytes)
        }
    }

    /// - Parameter name: labels separated by dots, without escapes; "" is the root.
    public init(_ name: String, type: UInt16 = 1) {
        self.name = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
        self.type = type
    }

    public var message: [UInt8] {
        var bytes = id.wire + flags.wire + counts.questions.wire + counts.answers.wire + counts.authority.wire
        bytes += UInt16(opt == nil ? 0 : 1).wire + name + type.wire + recordClass.wire
        if let opt {
            bytes += [0] + UInt16(41).wire + opt.payload.wire + [opt.extendedCode, opt.version] + opt.flags.wire
            bytes += UInt16(opt.options.count).wire + opt.options
        }
        return bytes + trailing
    }
}

extension UInt16 {
    /// Network order.
    public var wire: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xff)] }
}

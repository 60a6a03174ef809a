extension RecordType {
    /// Whether `data` is valid RDATA of this type: complete fields, and nothing after them. Types without a layout
    /// accept any data.
    public func isWellFormed(_ data: [UInt8]) -> Bool { data.withUnsafeBytes { isWellFormed($0) } }

    /// The same for bytes that are read only during the call.
    public func isWellFormed(_ data: UnsafeRawBufferPointer) -> Bool {
        // Most records of a large zone are addresses.
        if self == .a { return data.count == 4 }
        if self == .aaaa { return data.count == 16 }
        guard data.count <= 65_535 else { return false }
        guard let layout else { return true }
        var position = 0
        for field in layout {
            guard let length = field.length(in: data, at: position) else { return false }
            position += length
        }
        return position == data.count
    }
}

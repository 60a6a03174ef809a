extension RecordType {
    /// Whether `data` is RDATA of this type: whole fields and nothing behind them. Any data is of a type without a layout.
    public func isWellFormed(_ data: [UInt8]) -> Bool { data.withUnsafeBytes { isWellFormed($0) } }

    /// As above, of bytes that are only read during the call.
    public func isWellFormed(_ data: UnsafeRawBufferPointer) -> Bool {
        // Most data of a large zone is addresses.
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

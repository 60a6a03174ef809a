import CFastPathABI
public import DNSWire

extension FastPathImage {
    /// Whether the program has an answer that is the same for everybody to a query for `type` at `name`, found in the tables as
    /// the program finds it. Of a tailored name's addresses it says nothing, and one that it can only cut it has not.
    public func answersAlike(_ name: DomainName, _ type: RecordType) -> Bool {
        var wire = name.lowercasedWire[...]
        guard wire.count <= NC_NAME_BYTES, !type.isMeta, type.rawValue != 0 else { return false }
        if let entry = entry(of: wire) {
            return isWhole(entry.type == type.rawValue ? entry.own + 1 : answer(to: type, in: entry.own))
        }
        while wire.count > 1 {
            wire = wire.dropFirst(1 + Int(wire[wire.startIndex]))
            if let encloser = entry(of: wire) { return isWhole(answer(to: type, in: encloser.below)) }
        }
        return false
    }

    private func entry(of wire: ArraySlice<UInt8>) -> nc_name_entry? {
        var words = [UInt64](repeating: 0, count: (wire.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyBytes(from: wire) }
        let hash = nc_hash_words(words, UInt32(words.count), generation.name_secret)
        let mask = generation.bucket_mask
        for index in [nc_name_first_bucket(hash, mask), nc_name_second_bucket(hash, mask)] {
            let bucket = nameBuckets[Int(index)]
            let found = withUnsafeBytes(of: bucket) { bytes in
                (0..<Int(NC_BUCKET_SLOTS)).first { slot in
                    bytes.load(fromByteOffset: 4 * slot, as: UInt32.self) == nc_name_tag(hash)
                        && isName(
                            wire, at: Int(bytes.load(fromByteOffset: Self.entriesOffset + 4 * slot, as: UInt32.self)))
                }.map { Int(bytes.load(fromByteOffset: Self.entriesOffset + 4 * $0, as: UInt32.self)) }
            }
            if let found { return nameEntries[found] }
        }
        return nil
    }

    private static let entriesOffset = MemoryLayout<nc_name_bucket>.offset(of: \.entry) ?? 0
    private static let typeOffset = MemoryLayout<nc_directory>.offset(of: \.type) ?? 0
    private static let answerOffset = MemoryLayout<nc_directory>.offset(of: \.answer) ?? 0

    private func isName(_ wire: ArraySlice<UInt8>, at place: Int) -> Bool {
        Int(nameEntries[place].length) == wire.count
            && nameEntries.withName(at: place) { $0.prefix(wire.count).elementsEqual(wire) }
    }

    private func isWhole(_ answer: UInt32) -> Bool { answer != 0 && answers[Int(answer)].length <= NC_ANSWER_BYTES }

    /// The cell of the answer; 0 where user space has it.
    private func answer(to type: RecordType, in directory: UInt32) -> UInt32 {
        guard directory != 0 else { return 0 }
        return withUnsafeBytes(of: answers[Int(directory)]) { cell in
            for index in 0..<Int(NC_DIRECTORY_TYPES)
            where cell.load(fromByteOffset: Self.typeOffset + 2 * index, as: UInt16.self) == type.rawValue {
                return cell.load(fromByteOffset: Self.answerOffset + 4 * index, as: UInt32.self)
            }
            return cell.load(as: nc_directory.self).other
        }
    }
}

import CFastPathABI
public import DNSWire

extension FastPathImage {
    /// Whether the program has a complete static answer to a query for `type` at `name`. It is looked up in the tables
    /// as the program does. The tailored addresses of a name are not considered, and an answer that can only be
    /// truncated does not count.
    ///
    /// - Parameter overlay: the changes since the tables were filled.
    public func answersAlike(_ name: DomainName, _ type: RecordType, under overlay: NameOverlay? = nil) -> Bool {
        answer(to: name, type, under: overlay).map { $0.length <= NC_ANSWER_BYTES } ?? false
    }

    /// Whether the program composes the answer to such a query by a recipe: for clients without a view of their own, as
    /// long as its lists have a usable node.
    public func makesAnswer(_ name: DomainName, _ type: RecordType, under overlay: NameOverlay? = nil) -> Bool {
        answer(to: name, type, under: overlay).map { UInt32($0.flags) & NC_ANSWER_MADE.rawValue != 0 } ?? false
    }

    /// The answer that the program finds; nil: user space answers.
    private func answer(to name: DomainName, _ type: RecordType, under overlay: NameOverlay?) -> nc_answer? {
        var wire = name.lowercasedWire[...]
        guard !type.isMeta, type.rawValue != 0 else { return nil }
        func entry(_ wire: ArraySlice<UInt8>) -> nc_name_entry? {
            if let changed = overlay?.entry(of: Array(wire)) { return changed.now }
            return place(of: wire).map { nameEntries[Int($0)] }
        }
        func answer(_ directory: UInt32) -> UInt32 {
            guard directory != 0 else { return 0 }
            return Self.answer(to: type, in: overlay?.cell(directory) ?? answers[Int(directory)])
        }
        func cell(_ answer: UInt32) -> nc_answer? {
            answer == 0 ? nil : overlay?.cell(answer) ?? answers[Int(answer)]
        }
        if let entry = entry(wire) {
            return cell(entry.type == type.rawValue ? entry.own + 1 : answer(entry.own))
        }
        while wire.count > 1 {
            wire = wire.dropFirst(1 + Int(wire[wire.startIndex]))
            if let encloser = entry(wire) { return cell(answer(encloser.below)) }
        }
        return nil
    }

    /// The hash of a name in lower case, as the program computes it.
    func hash(of wire: some Collection<UInt8>) -> UInt64 {
        var words = [UInt64](repeating: 0, count: (wire.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyBytes(from: wire) }
        return nc_hash_words(words, UInt32(words.count), generation.name_secret)
    }

    /// The first cell of a name, given in lower case.
    func place(of wire: ArraySlice<UInt8>) -> UInt32? {
        let hash = hash(of: wire)
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
            if let found { return UInt32(found) }
        }
        return nil
    }

    static let entriesOffset = MemoryLayout<nc_name_bucket>.offset(of: \.entry) ?? 0
    private static let typeOffset = MemoryLayout<nc_directory>.offset(of: \.type) ?? 0
    private static let answerOffset = MemoryLayout<nc_directory>.offset(of: \.answer) ?? 0

    private func isName(_ wire: ArraySlice<UInt8>, at place: Int) -> Bool {
        Int(nameEntries[place].length) == wire.count
            && nameEntries.withName(at: place) { $0.prefix(wire.count).elementsEqual(wire) }
    }

    /// The cell of the answer in a directory; 0: user space answers.
    private static func answer(to type: RecordType, in directory: nc_answer) -> UInt32 {
        withUnsafeBytes(of: directory) { cell in
            for index in 0..<Int(NC_DIRECTORY_TYPES)
            where cell.load(fromByteOffset: typeOffset + 2 * index, as: UInt16.self) == type.rawValue {
                return cell.load(fromByteOffset: answerOffset + 4 * index, as: UInt32.self)
            }
            return cell.load(as: nc_directory.self).other
        }
    }
}

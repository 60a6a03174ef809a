import DNSWire
import Zones

extension Resolver {
    /// Answers queries of class CH for the server's identity (RFC 4892) with TXT; refuses all others.
    func answerChaos(
        _ question: Question, _ packet: UnsafeRawBufferPointer, _ writer: inout MessageWriter
    ) -> Verdict {
        let text = LookupName.withScratch { name in
            name.load(UnsafeRawBufferPointer(rebasing: packet[question.nameRange]))
            return settings.identity.chaosText(at: name.suffix(0))
        }
        guard let text, question.type == .txt || question.type == .any else {
            return writer.fail(.refused, .refused, because: .notAuthoritative)
        }
        let written = text.withUnsafeBytes {
            writer.appendRRset(.question, type: .txt, recordClass: .ch, ttl: 0, data: $0, to: .answer)
        }
        return written ? .answeredStatic : writer.truncate()
    }
}

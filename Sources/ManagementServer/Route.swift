package import Access

/// One operation of the API, as data. The router, the check of rights, the answers to unknown paths and the
/// documentation are all made from it, so that nothing can be reached that is not in the table.
package struct Route: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The body that a request has.
    package struct Body: Sendable {
        package let type: any (Codable & Sendable).Type
        /// In bytes.
        package let limit: Int
        /// A body that is accepted.
        package let example: String
    }

    /// The body of a successful response.
    package struct Answer: Sendable {
        package let status: Int
        package let mediaType: String
        /// `nil` for text.
        package let type: (any (Codable & Sendable).Type)?
    }

    package let method: Method
    /// With parameters in braces, as in `/v1/nodes/{id}/state`.
    package let path: String
    /// Names the operation; unique.
    package let operation: String
    /// What the caller must be allowed to do.
    package let right: Right
    /// What it does, in one line.
    package let summary: String
    package let query: [QueryParameter]
    /// `nil`: the body, if there is one, is not read.
    package let body: Body?
    package let answer: Answer
    /// Path and query of a request that is served.
    package let example: String
    /// Does it.
    let respond: @Sendable (Call) async throws -> Reply
}

/// A parameter in the query of an address.
package struct QueryParameter: Sendable {
    package enum Kind: Sendable {
        case text
        /// May be given several times.
        case texts
        /// `nil`: absent unless given.
        case number(ClosedRange<Int>, default: Int?)
        /// `true` or `false`; false unless given.
        case flag
    }

    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    /// What it is, in a few words.
    package let summary: String

    static func text(_ name: String, _ summary: String, isRequired: Bool = false) -> Self {
        Self(name: name, kind: .text, isRequired: isRequired, summary: summary)
    }

    static func texts(_ name: String, _ summary: String) -> Self {
        Self(name: name, kind: .texts, isRequired: false, summary: summary)
    }

    static func number(
        _ name: String, _ range: ClosedRange<Int>, default standard: Int? = nil, _ summary: String
    ) -> Self {
        Self(name: name, kind: .number(range, default: standard), isRequired: false, summary: summary)
    }

    static func flag(_ name: String, _ summary: String) -> Self {
        Self(name: name, kind: .flag, isRequired: false, summary: summary)
    }
}

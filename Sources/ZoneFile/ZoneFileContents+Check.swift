public import DNSWire

extension ZoneFileContents {
    /// Checks that the records form the zone `apex`, and adds the findings to `errors` and `warnings`.
    ///
    /// Errors: no SOA or more than one, an SOA below the apex, no NS at the apex, owners outside the zone, CNAME with
    /// other data, more than one CNAME or DNAME at a name, DNAME with a delegation, names below a DNAME. Warnings:
    /// duplicate records, different TTLs in an RRset, name servers in the zone without an address or with a CNAME, data
    /// at or below a delegation that is not glue, targets and SPF policies that are mistakes.
    ///
    /// - Parameters:
    ///   - others: names in the zone that have no record in it.
    ///   - followers: names in the zone that have the addresses of an outside host.
    public mutating func check(apex: DomainName, others: [DomainName] = [], followers: [DomainName] = []) {
        var check = ZoneCheck(records, apex: apex, others: others, followers: followers)
        check.run()
        errors += check.errors
        warnings += check.warnings
        sortFindings()
    }

    /// Orders findings by file, line and column.
    mutating func sortFindings() {
        guard errors.count + warnings.count > 0 else { return }
        let files = Dictionary(records.files.enumerated().map { ($1, $0) }) { first, _ in first }
        func precedes(_ left: ZoneFileError, _ right: ZoneFileError) -> Bool {
            (files[left.file] ?? 0, left.line, left.column, left.message)
                < (files[right.file] ?? 0, right.line, right.column, right.message)
        }
        errors.sort(by: precedes)
        warnings.sort(by: precedes)
    }
}

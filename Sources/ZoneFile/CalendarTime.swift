/// A moment as DNSSEC writes it, `YYYYMMDDHHmmSS` in UTC (RFC 4034, section 3.2), in the Gregorian calendar.
struct CalendarTime {
    /// From 1970-01-01 00:00:00.
    let seconds: Int

    /// Reads 14 digits; `nil` if they are not digits, or not a valid time since 1970.
    init?(digits: ArraySlice<UInt8>) {
        guard digits.count == 14, digits.allSatisfy(FieldReader.isDigit) else { return nil }
        let digits = digits.map { Int($0 - 0x30) }
        func field(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
        let (year, month, day) = (field(0..<4), field(4..<6), field(6..<8))
        let (hour, minute, second) = (field(8..<10), field(10..<12), field(12..<14))
        guard year >= 1970, (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year), hour < 24,
            minute < 60, second < 60
        else { return nil }
        let days = Self.daysBefore(year) + (1..<month).reduce(0) { $0 + Self.days(in: $1, of: year) } + day - 1
        seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    init(seconds: Int) { self.seconds = seconds }

    /// The 14 digits.
    var text: String {
        var days = seconds / 86_400
        var year = 1970 + days / 366
        while Self.daysBefore(year + 1) <= days { year += 1 }
        days -= Self.daysBefore(year)
        var month = 1
        while days >= Self.days(in: month, of: year) {
            days -= Self.days(in: month, of: year)
            month += 1
        }
        func pad(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let clock = seconds % 86_400
        return "\(year)" + [month, days + 1, clock / 3600, clock / 60 % 60, clock % 60].map(pad).joined()
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && year % 100 != 0 || year % 400 == 0 }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to the first of `year`.
    private static func daysBefore(_ year: Int) -> Int {
        func leaps(_ year: Int) -> Int { year / 4 - year / 100 + year / 400 }
        return (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
    }
}

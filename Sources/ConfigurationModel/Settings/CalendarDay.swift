/// A day of the Gregorian calendar, UTC.
public struct CalendarDay: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 1970 to 9999.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// Reads `2023-01-31` (ISO 8601). `nil` if it is not a day from 1970 on.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.joined().allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard year >= 1970, (1...12).contains(month), (1...31).contains(day),
            CalendarDay(secondsSince1970: secondsSince1970) == self
        else { return nil }
    }

    /// The day of a time.
    public init(secondsSince1970 seconds: UInt64) {
        // Years start in March, so that the leap day is the last. Eras have 400 years.
        let days = Int(seconds / 86_400) + 719_468
        let (era, dayOfEra) = (days / 146_097, days % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Its first second.
    public var secondsSince1970: UInt64 {
        let yearFromMarch = year - (month <= 2 ? 1 : 0)
        let (era, yearOfEra) = (yearFromMarch / 400, yearFromMarch % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return UInt64(era * 146_097 + dayOfEra - 719_468) * 86_400
    }

    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    public var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}

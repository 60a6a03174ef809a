import ConfigurationModel
import Testing

@Suite("Days")
struct CalendarDayTests {
    @Test(
        "a day has the same value as text and as seconds",
        arguments: [
            ("1970-01-01", 0), ("1999-12-31", 10956), ("2000-02-29", 11016), ("2000-03-01", 11017),
            ("2023-04-01", 19448),
            ("2024-02-29", 19782), ("2100-03-01", 47541), ("9999-12-31", 2_932_896),
        ] as [(String, UInt64)])
    func sameDay(text: String, days: UInt64) throws {
        #expect(CalendarDay(text)?.secondsSince1970 == days * 86400)
        #expect(CalendarDay(secondsSince1970: days * 86400).description == text)
        #expect(CalendarDay(secondsSince1970: days * 86400 + 86399).description == text)
    }

    @Test(
        "text that is not a day is refused",
        arguments: [
            "", "2023", "2023-1-1", "2023-13-01", "2023-02-29", "2100-02-29", "1969-12-31", "2023-01-00", "+023-01-01",
            "2023-01-011",
        ])
    func noDay(text: String) { #expect(CalendarDay(text) == nil) }
}

import Fixtures
import Management
import ManagementTypes
import Resolution
import Testing

@Suite("The tables as inspect shows them")
struct InspectorTests {
    @Test("names are listed with every tailored type, the addresses of a name in one entry")
    func names() throws {
        let model = try SampleModel().model
        let report = try Inspector(model: model).names(InspectNamesRequest(limit: 10_000))
        #expect(report.total == model.tailored.count + model.tailoredRecords.count)
        #expect(report.names.count == report.total)
        let types = Set(report.names.flatMap(\.types))
        #expect(types == ["A", "AAAA", "CNAME", "SRV", "TXT", "MX", "HTTPS", "SVCB"])

        let below = try Inspector(model: model).names(InspectNamesRequest(under: "www.example.com", limit: 10))
        let own = below.names.filter { $0.name == "www.example.com." }
        #expect(own.map(\.types).prefix(3) == [["A", "AAAA"], ["MX"], ["TXT"]])
        #expect(own.allSatisfy { $0.zone == "example.com." && $0.kind == "tailored" && $0.pool != nil })
    }

    @Test("the limit counts what is shown, and the total everything")
    func limit() throws {
        let report = try Inspector(model: SampleModel().model).names(InspectNamesRequest(limit: 3))
        #expect(report.names.count == 3 && report.total > 3)
    }
}

import DNSWire
import FastPathPlan
import Fixtures
import IPNetworks
import Resolution
import Testing
import Zones

@Suite("Which tailored names the program answers")
struct TailoredPlanTests {
    private func name(_ text: String, _ model: ServingModel) throws -> TailoredName {
        let wanted = try DomainName(text)
        return try #require(model.tailored.first { $0.name == wanted })
    }

    @Test("names of zones with an access list are left to user space, other names are not")
    func accessList() throws {
        let model = try SampleModel().model
        let plan = TailoredPlan(model)
        #expect(plan.left(try name(SampleModel.guardedName, model)) == .accessList)
        #expect(plan.left(try name("www.example.com", model)) == nil)
        #expect(plan.left(try name("overlay.example.com", model)) == nil)
    }

    @Test(
        "a name with views is left to user space for senders in a view, and for all if the networks do not fit")
    func views() throws {
        let model = try SampleModel().model
        let plan = TailoredPlan(model)
        let overlay = try name("overlay.example.com", model)
        for (sender, isLeft) in [("16.33.0.1", true), ("17.0.0.1", true), ("18.0.0.1", false)] {
            let address = try #require(IPAddress(sender))
            #expect(plan.isLeft(overlay, to: address) == isLeft)
            #expect(!plan.isLeft(try name("www.example.com", model), to: address))
        }
        let many = (0..<20).compactMap { IPPrefix("10.\($0 * 2).0.0/16") }
        let other = try SampleModel(viewNetworks: [many, []]).model
        let crowded = TailoredPlan(other)
        #expect(crowded.left(try name("overlay.example.com", other)) == .views)
        #expect(crowded.left(try name("www.example.com", other)) == nil)
    }
}

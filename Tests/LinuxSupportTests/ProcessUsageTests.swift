import LinuxSupport
import Testing

@Suite struct ProcessUsageTests {
    @Test("this process uses memory, threads, descriptors and time")
    func here() throws {
        let usage = try #require(ProcessUsage.current)
        #expect(usage.residentBytes > 1 << 20 && usage.virtualBytes > usage.residentBytes)
        #expect(usage.threads >= 1 && usage.openDescriptors >= 3 && usage.processorSeconds > 0)
    }
}

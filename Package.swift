// swift-tools-version:6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let strictC: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

/// A target of this package with the project's language rules.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// Test code runs once, for milliseconds. Without optimization it compiles in half the time.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"])]

/// Tests of one module, in `Tests/<module>Tests`.
///
/// - Parameter optimized: true where tests count allocations, or spend more time in their own loops than the optimizer takes.
func tests(_ name: String, _ dependencies: [Target.Dependency], optimized: Bool = false) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: optimized ? strict : strict + unoptimized)
}

/// What tests share, in `Tests/<name>`. A test target too, because SwiftPM builds those with the tests only.
func testSupport(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    plugins: [Target.PluginUsage] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: strict,
        plugins: plugins)
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "nearcast",
    products: [
        .executable(name: "nearcastd", targets: ["nearcastd"]),
        .executable(name: "nearcast", targets: ["nearcast"]),
    ],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // C at the edge. Each is wrapped once.
        .target(name: "CFastPathABI", path: "bpf/abi", publicHeadersPath: ".", cSettings: strictC),
        .target(name: "CLinux", cSettings: strictC),
        .systemLibrary(name: "CLibBPF", pkgConfig: "libbpf"),
        .systemLibrary(name: "CMaxMindDB", pkgConfig: "libmaxminddb"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),

        // Pure: no I/O, no clock, no randomness, no Foundation.
        module("IPNetworks"),
        module("VisibleText"),
        module("DNSWire", ["IPNetworks"]),
        module("ZoneFile", ["DNSWire", "IPNetworks", "VisibleText"]),
        module("Location", ["IPNetworks", "CFastPathABI"]),
        module("Steering", ["IPNetworks", "Location", "CFastPathABI"]),
        module("Serving", ["IPNetworks", "DNSWire", "Location", "Steering", "CFastPathABI"]),
        module("Simulation", ["Health", "DNSWire", "IPNetworks", "Location", "Serving", "Steering", "CFastPathABI"]),
        module("Health", ["IPNetworks", "CFastPathABI"]),
        module("RoundTrips", ["IPNetworks", "Location", "CFastPathABI"]),
        module("FastPath", ["DNSWire", "IPNetworks", "Location", "Steering", "Serving", "CFastPathABI"]),

        // Effects.
        module("RegularFiles"),
        module("SQLite", ["CSQLite"]),
        module("Journal", ["SQLite"]),
        module(
            "ServerConfiguration",
            [
                "Health", "IPNetworks", "DNSWire", "RegularFiles", "VisibleText",
                .product(name: "Yams", package: "Yams"),
            ]),
        module("GeoData", ["IPNetworks", "Location", "RegularFiles", "VisibleText", "CLinux", "CMaxMindDB"]),
        module(
            "ModelLoader",
            [
                "ServerConfiguration", "ZoneFile", "GeoData", "Serving", "Steering", "Location", "DNSWire",
                "IPNetworks", "RegularFiles", "CFastPathABI",
            ]),
        .target(
            name: "FastPathObject", path: "bpf",
            exclude: ["abi", "lib", "rtt", "nearcast.bpf.c", "maps.h", "LICENSE.md"],
            sources: ["host"], swiftSettings: strict, plugins: ["BuildBPF"]),
        .target(
            name: "RoundTripObject", dependencies: ["FastPathObject"], path: "bpf/rtt",
            exclude: ["rtt.bpf.c", "kernel.h"], sources: ["host"], swiftSettings: strict, plugins: ["BuildBPF"]),
        module("RoundTripMeter", ["BPFRuntime", "IPNetworks", "RoundTripObject", "RoundTrips", "CFastPathABI"]),
        module("ConnectionPlaces"),
        module("ResourceBudget"),
        module("ReadMostly", ["CLinux"]),
        module("BPFRuntime", ["CLibBPF", "CLinux"]),
        module("HostCheck", ["BPFRuntime", "CLinux"]),
        module(
            "MapWriter",
            ["BPFRuntime", "FastPath", "FastPathObject", "Location", "Serving", "Steering", "CFastPathABI"]),
        module(
            "DNSServer",
            [
                "ConnectionPlaces", "IPNetworks", "RegularFiles", "CLinux", logging, lifecycle,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        module(
            "HealthChecks",
            [
                "Health", "IPNetworks", "DNSWire", "RegularFiles", "CLinux",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        module(
            "ControlAPI",
            [
                "ConnectionPlaces", "IPNetworks", "RegularFiles", "VisibleText", logging, lifecycle,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        module(
            "ReportListener",
            [
                "ControlAPI", "DNSServer", "IPNetworks", "RegularFiles", logging, lifecycle,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(
            name: "nearcastd",
            dependencies: [
                "ServerConfiguration", "ModelLoader", "DNSWire", "IPNetworks", "Location", "Steering", "Serving",
                "FastPath", "BPFRuntime", "MapWriter", "DNSServer", "ControlAPI", "Health", "HealthChecks",
                "Journal", "ReadMostly", "ReportListener", "RegularFiles", "ResourceBudget", "RoundTripMeter",
                "RoundTrips",
                "VisibleText", "ZoneFile", "CLinux", logging, lifecycle, arguments,
            ], swiftSettings: strict),
        module("CommandLineText", ["ControlAPI", "CFastPathABI", "HostCheck"]),
        .executableTarget(
            name: "nearcast",
            dependencies: [
                "CommandLineText", "ControlAPI", "Health", "HealthChecks", "HostCheck", "ModelLoader", "ReportListener",
                "ServerConfiguration", "Serving", "Simulation",
                "Steering", "Location", "DNSWire", "IPNetworks", "DNSServer", "MapWriter", "CFastPathABI", arguments,
                logging,
            ], swiftSettings: strict),
        .plugin(name: "BuildBPF", capability: .buildTool()),

        .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter", cSettings: strictC),
        testSupport("CountedObject", ["FastPathObject"], exclude: ["nearcast.bpf.c"], plugins: ["BuildBPF"]),
        testSupport(
            "Fixtures",
            [
                "BPFRuntime", "CFastPathABI", "DNSWire", "IPNetworks", "Location", "Serving", "Steering", logging,
            ]),
        tests(
            "ParityTests",
            [
                "Fixtures", "BPFRuntime", "MapWriter", "DNSWire", "FastPath", "FastPathObject", "CountedObject",
                "Serving",
                "Steering", "IPNetworks", "CFastPathABI",
            ], optimized: true),
        tests("SQLiteTests", ["SQLite"]),
        tests("JournalTests", ["Journal", "SQLite"]),
        tests("HealthTests", ["Health", "IPNetworks"]),
        tests("RoundTripsTests", ["RoundTrips", "IPNetworks", "Location", "CFastPathABI"]),
        tests(
            "RoundTripMeterTests",
            ["Fixtures", "RoundTripMeter", "RoundTrips", "BPFRuntime", "IPNetworks", "CFastPathABI"]),
        tests("HealthChecksTests", ["Fixtures", "HealthChecks", "Health", "IPNetworks", "BPFRuntime", "CLinux"]),
        tests("IPNetworksTests", ["IPNetworks"]),
        tests("VisibleTextTests", ["VisibleText"]),
        tests("DNSWireTests", ["DNSWire", "IPNetworks"]),
        tests("ZoneFileTests", ["ZoneFile", "DNSWire", "IPNetworks"]),
        tests("LocationTests", ["Location", "IPNetworks", "CFastPathABI"]),
        tests("SteeringTests", ["CAllocationCounter", "Steering", "Location", "IPNetworks", "CFastPathABI"]),
        tests(
            "ServingTests",
            ["CAllocationCounter", "CFastPathABI", "Serving", "Steering", "Location", "DNSWire", "IPNetworks"]),
        tests(
            "SimulationTests",
            [
                "Fixtures", "Simulation", "Health", "Serving", "Steering", "Location", "DNSWire", "IPNetworks",
                "CFastPathABI",
            ]),
        tests("ServerConfigurationTests", ["ServerConfiguration", "Health", "IPNetworks", "DNSWire"]),
        tests(
            "DNSServerTests",
            [
                "Fixtures", "BPFRuntime", "DNSServer", "IPNetworks", lifecycle, logging,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ]),
        tests("ConnectionPlacesTests", ["ConnectionPlaces"]),
        tests("ResourceBudgetTests", ["ResourceBudget"]),
        tests("ReadMostlyTests", ["ReadMostly"]),
        tests("RegularFilesTests", ["RegularFiles"]),
        tests("BPFRuntimeTests", ["BPFRuntime"]),
        tests("HostCheckTests", ["HostCheck"]),
        tests("ControlAPITests", ["ControlAPI", lifecycle, logging]),
        tests(
            "ReportListenerTests",
            [
                "Fixtures", "ReportListener", "ControlAPI", "DNSServer", "IPNetworks", lifecycle, logging,
            ]),
        tests("CommandLineTextTests", ["CommandLineText", "ControlAPI"]),
        tests(
            "ModelLoaderTests",
            [
                "Fixtures", "ModelLoader", "ServerConfiguration", "Serving", "Steering", "Location", "IPNetworks",
                "CFastPathABI",
            ]),
        tests("GeoDataTests", ["Fixtures", "GeoData", "Location", "IPNetworks", "CFastPathABI"]),
        tests(
            "KernelTests",
            [
                "Fixtures", "BPFRuntime", "MapWriter", "FastPath", "Serving", "Steering", "DNSWire", "IPNetworks",
                "CFastPathABI",
            ]),
        tests("DaemonTests", ["Fixtures", "BPFRuntime", "ControlAPI", "IPNetworks", "Journal", "CFastPathABI"]),
    ]
)

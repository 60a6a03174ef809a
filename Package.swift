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
/// - Parameter optimized: true where tests count allocations, spend more time in their own loops than the optimizer takes,
///   or capture a `SocketEndpoint` (Swift 6.3 without optimization reads it from an address that is not aligned).
func tests(_ name: String, _ dependencies: [Target.Dependency], optimized: Bool = false) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict + (optimized ? [] : unoptimized))
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "nearcast",
    products: [
        .executable(name: "nearcastd", targets: ["nearcastd"]),
        .executable(name: "nearcast", targets: ["nearcast"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // C at the edge. Each is wrapped once.
        .target(name: "CFastPathABI", path: "bpf/abi", publicHeadersPath: ".", cSettings: strictC),
        .target(name: "CLinux", cSettings: strictC),
        .systemLibrary(name: "CLibBPF", pkgConfig: "libbpf"),
        .systemLibrary(name: "CMaxMindDB", pkgConfig: "libmaxminddb"),

        // Pure: no I/O, no clock, no randomness, no Foundation.
        module("IPNetworks"),
        module("VisibleText"),
        module("Lints"),
        module("ConnectionLimits"),
        module("DNSWire", ["IPNetworks"]),
        module("ZoneFile", ["DNSWire", "IPNetworks", "Lints", "VisibleText"]),
        module("Location", ["CFastPathABI", "IPNetworks"]),
        module("Steering", ["CFastPathABI", "IPNetworks", "Location"]),
        module("Zones", ["DNSWire", "IPNetworks"]),
        module("Resolution", ["CFastPathABI", "DNSWire", "IPNetworks", "Location", "Steering", "Zones"]),
        module(
            "Simulation", ["CFastPathABI", "DNSWire", "Health", "IPNetworks", "Location", "Resolution", "Steering"]),
        module("Health", ["CFastPathABI", "IPNetworks"]),
        module("RoundTrips", ["CFastPathABI", "IPNetworks", "Location"]),
        module("ConfigurationModel", ["DNSWire", "Health", "IPNetworks", "Lints", "VisibleText"]),
        module(
            "FastPathPlan", ["CFastPathABI", "DNSWire", "IPNetworks", "Location", "Resolution", "Steering", "Zones"]),

        // Effects.
        module("Logs", ["VisibleText", logging]),
        module("LinuxSupport", ["CLinux", system]),
        module("HostLookup", ["DNSWire", "IPNetworks", "LinuxSupport"]),
        module("StateStore"),
        module("Journal", ["StateStore", .product(name: "GRDB", package: "GRDB.swift")]),
        module("ConfigurationYAML", ["ConfigurationModel", "LinuxSupport", .product(name: "Yams", package: "Yams")]),
        module("GeoData", ["CMaxMindDB", "IPNetworks", "LinuxSupport", "Location", "VisibleText", system]),
        module(
            "ModelCompiler",
            [
                "CFastPathABI", "ConfigurationModel", "ConfigurationYAML", "DNSWire", "GeoData", "Health", "IPNetworks",
                "Lints", "LinuxSupport", "Location", "Resolution", "Steering", "ZoneFile", "Zones",
            ]),
        .target(
            name: "FastPathObject", path: "bpf",
            exclude: [
                "abi", "lib", "rtt", "accesses.h", "base.h", "dns.h", "maps.h", "nearcast.bpf.c", "query.h",
                "LICENSE.md",
            ],
            sources: ["host"], swiftSettings: strict, plugins: ["BuildBPF"]),
        .target(
            name: "RoundTripObject", dependencies: ["FastPathObject"], path: "bpf/rtt",
            exclude: ["rtt.bpf.c", "kernel.h"], sources: ["host"], swiftSettings: strict, plugins: ["BuildBPF"]),
        module("RoundTripMeter", ["BPFRuntime", "CFastPathABI", "RoundTripObject", "RoundTrips"]),
        module("BPFRuntime", ["CLibBPF", "CLinux", "LinuxSupport", system]),
        module("HostCheck", ["BPFRuntime", "CLinux", "LinuxSupport"]),
        module(
            "FastPathDriver",
            [
                "BPFRuntime", "CFastPathABI", "FastPathObject", "FastPathPlan", "IPNetworks", "LinuxSupport",
                "Resolution", "Steering", system,
            ]),
        module(
            "DNSServer",
            [
                "CLinux", "ConnectionLimits", "IPNetworks", "LinuxSupport", "Telemetry", logging, lifecycle, system,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
            ]),
        module(
            "HealthChecks",
            [
                "CLinux", "DNSWire", "Health", "HostLookup", "IPNetworks", "LinuxSupport", system,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]),
        // Management: values, who acts, and the two ends of the API.
        module("ControlFailures"),
        module("Telemetry"),
        module("Access", ["ControlFailures", "LinuxSupport"]),
        module("ManagementTypes", ["ControlFailures", "VisibleText"]),
        module(
            "ManagementClient",
            [
                "ControlFailures", "ManagementTypes", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        module(
            "ManagementServer",
            [
                "Access", "ConnectionLimits", "ControlFailures", "DNSServer", "IPNetworks", "LinuxSupport",
                "ManagementTypes", "Telemetry", "VisibleText", logging, lifecycle, system,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ]),
        module(
            "ControlPlane",
            [
                "Access", "BPFRuntime", "CFastPathABI", "CLinux", "ConfigurationModel", "ConfigurationYAML",
                "ControlFailures", "DNSServer", "DNSWire", "FastPathDriver", "FastPathPlan", "Health", "HealthChecks",
                "HostLookup", "IPNetworks", "Lints", "LinuxSupport", "Location", "ModelCompiler", "Resolution",
                "RoundTripMeter", "RoundTrips", "Simulation", "StateStore", "Steering", "Telemetry", "VisibleText",
                "Zones", logging, lifecycle, system,
            ]),
        module(
            "Management",
            [
                "Access", "BPFRuntime", "CFastPathABI", "ConfigurationModel", "ControlFailures", "ControlPlane",
                "DNSWire", "FastPathDriver", "FastPathPlan", "Health", "HealthChecks", "IPNetworks", "Lints",
                "LinuxSupport", "Location", "ManagementServer", "ManagementTypes", "ModelCompiler", "Resolution",
                "RoundTripMeter", "RoundTrips", "Simulation", "StateStore", "Steering", "Telemetry", "VisibleText",
                "ZoneFile", "Zones", logging,
            ]),
        module(
            "DaemonServices",
            [
                "ConfigurationModel", "ConnectionLimits", "ControlFailures", "ControlPlane", "DNSServer",
                "FastPathDriver", "Health", "IPNetworks", "LinuxSupport", "ManagementClient", "ManagementServer",
                "ManagementTypes", "ModelCompiler", "Resolution", "StateStore", "Telemetry", logging, lifecycle, system,
            ]),
        .executableTarget(
            name: "nearcastd",
            dependencies: [
                "BPFRuntime", "CFastPathABI", "ConfigurationModel", "ConfigurationYAML", "ControlPlane",
                "DaemonServices", "DNSServer", "DNSWire", "FastPathDriver", "FastPathPlan", "Health", "HealthChecks",
                "HostLookup", "IPNetworks", "Journal", "Lints", "Logs", "Management", "ManagementServer",
                "ManagementTypes", "ModelCompiler", "Resolution", "StateStore", "Steering", logging, lifecycle,
                arguments,
            ], swiftSettings: strict),
        module("CommandLineText", ["CFastPathABI", "HostCheck", "ManagementTypes", "VisibleText"]),
        .executableTarget(
            name: "nearcast",
            dependencies: [
                "Access", "CFastPathABI", "CommandLineText", "ConfigurationModel", "ConfigurationYAML",
                "ControlFailures", "DNSServer", "DNSWire", "FastPathDriver", "GeoData", "Health", "HealthChecks",
                "HostCheck", "IPNetworks", "Lints", "LinuxSupport", "Location", "ManagementClient", "ManagementTypes",
                "ModelCompiler", "Resolution", "Simulation", "Steering", "VisibleText", "Zones", logging, system,
                arguments,
            ], swiftSettings: strict),
        .plugin(name: "BuildBPF", capability: .buildTool()),

        .target(
            name: "CountedObject", dependencies: ["FastPathObject"], path: "Tests/CountedObject",
            exclude: ["nearcast.bpf.c"], swiftSettings: strict, plugins: ["BuildBPF"]),
        .target(
            name: "Fixtures",
            dependencies: [
                "BPFRuntime", "CFastPathABI", "DNSWire", "IPNetworks", "LinuxSupport", "Location", "Resolution",
                "Steering", "Zones", logging,
            ],
            path: "Tests/Fixtures", swiftSettings: strict),
        tests(
            "ParityTests",
            [
                "BPFRuntime", "CFastPathABI", "CountedObject", "DNSWire", "FastPathDriver", "FastPathObject",
                "FastPathPlan", "Fixtures", "IPNetworks", "Resolution", "Steering", "Zones",
            ], optimized: true),
        tests("FastPathABITests", ["CFastPathABI"]),
        tests("JournalTests", ["Journal", "StateStore", .product(name: "GRDB", package: "GRDB.swift")]),
        tests("HealthTests", ["Health", "IPNetworks"]),
        tests("RoundTripsTests", ["CFastPathABI", "IPNetworks", "Location", "RoundTrips"]),
        tests(
            "RoundTripMeterTests",
            ["BPFRuntime", "CFastPathABI", "Fixtures", "IPNetworks", "RoundTripMeter", "RoundTrips"]),
        tests(
            "HealthChecksTests",
            ["CLinux", "DNSWire", "Fixtures", "Health", "HealthChecks", "HostLookup", "IPNetworks"]),
        tests("IPNetworksTests", ["IPNetworks"]),
        tests("VisibleTextTests", ["VisibleText"]),
        tests("DNSWireTests", ["DNSWire", "IPNetworks"]),
        tests("ZoneFileTests", ["DNSWire", "IPNetworks", "Lints", "ZoneFile"]),
        tests("LocationTests", ["CFastPathABI", "IPNetworks", "Location"], optimized: true),
        .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter", cSettings: strictC),
        tests("SteeringTests", ["CAllocationCounter", "CFastPathABI", "IPNetworks", "Location", "Steering"]),
        tests("ZonesTests", ["DNSWire", "IPNetworks", "Resolution", "Zones"], optimized: true),
        tests(
            "ResolutionTests",
            [
                "CAllocationCounter", "CFastPathABI", "DNSWire", "IPNetworks", "Location", "Resolution", "Steering",
                "Zones",
            ]),
        tests("FastPathPlanTests", ["DNSWire", "FastPathPlan", "Fixtures", "IPNetworks", "Resolution", "Zones"]),
        tests(
            "SimulationTests",
            [
                "CFastPathABI", "DNSWire", "Fixtures", "Health", "IPNetworks", "Location", "Resolution", "Simulation",
                "Steering", "Zones",
            ]),
        tests("ConfigurationModelTests", ["ConfigurationModel", "ConfigurationYAML", "Health", "Lints"]),
        tests(
            "ConfigurationYAMLTests", ["ConfigurationModel", "ConfigurationYAML", "DNSWire", "Health", "IPNetworks"]),
        tests(
            "DNSServerTests",
            [
                "BPFRuntime", "DNSServer", "Fixtures", "IPNetworks", "LinuxSupport", logging, lifecycle, system,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ], optimized: true),
        tests("ConnectionLimitsTests", ["ConnectionLimits"]),
        tests("LogsTests", ["Logs", logging]),
        tests(
            "DaemonServicesTests",
            [
                "ControlFailures", "ControlPlane", "DaemonServices", "DNSServer", "LinuxSupport", "StateStore", logging,
                lifecycle, system,
            ]),
        tests("LinuxSupportTests", ["LinuxSupport", system]),
        tests("BPFRuntimeTests", ["BPFRuntime", "LinuxSupport", system]),
        tests("HostCheckTests", ["HostCheck"]),
        tests("HostLookupTests", ["DNSWire", "HostLookup", "IPNetworks", "LinuxSupport"]),
        tests(
            "ControlPlaneTests",
            [
                "Access", "CFastPathABI", "ConfigurationModel", "ConfigurationYAML", "ControlFailures", "ControlPlane",
                "DNSServer", "DNSWire", "FastPathPlan", "Fixtures", "Health", "HealthChecks", "HostLookup",
                "IPNetworks", "Lints", "ManagementClient", "ManagementServer", "ModelCompiler", "Resolution",
                "Simulation", "StateStore", "Steering", "Telemetry", "Zones", logging, lifecycle,
            ]),
        tests("TelemetryTests", ["Telemetry"]),
        tests("AccessTests", ["Access", "ControlFailures"]),
        tests(
            "ManagementTests",
            [
                "CFastPathABI", "ConfigurationModel", "ConfigurationYAML", "ControlPlane", "DNSWire", "Fixtures",
                "IPNetworks", "Lints", "Management", "ManagementTypes", "Resolution", "Steering", "ZoneFile", "Zones",
            ]),
        tests("ManagementTypesTests", ["ControlFailures", "ManagementTypes"]),
        tests("ManagementClientTests", ["ControlFailures", "ManagementClient"]),
        tests(
            "ManagementServerTests",
            [
                "Access", "ControlFailures", "DNSServer", "Fixtures", "IPNetworks", "ManagementClient",
                "ManagementServer", "ManagementTypes", "Telemetry", logging, lifecycle,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests("CommandLineTextTests", ["CommandLineText", "ManagementTypes"]),
        tests(
            "ModelCompilerTests",
            [
                "CFastPathABI", "ConfigurationModel", "ConfigurationYAML", "DNSWire", "Fixtures", "IPNetworks", "Lints",
                "Location", "ModelCompiler", "Resolution", "Steering", "Zones",
            ]),
        tests("GeoDataTests", ["CFastPathABI", "Fixtures", "GeoData", "IPNetworks", "Location"]),
        tests(
            "KernelTests",
            [
                "BPFRuntime", "CFastPathABI", "DNSWire", "FastPathDriver", "FastPathPlan", "Fixtures", "IPNetworks",
                "Resolution", "Steering", "Zones",
            ]),
        tests(
            "DaemonTests",
            [
                "Access", "BPFRuntime", "CFastPathABI", "ControlFailures", "Fixtures", "IPNetworks", "Journal",
                "LinuxSupport", "ManagementClient", "ManagementTypes", "StateStore",
            ]),
    ]
)

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

/// Tests of one module, in `Tests/<module>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
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
        module("ConnectionLimits"),
        module("DNSWire", ["IPNetworks"]),
        module("ZoneFile", ["DNSWire", "IPNetworks", "VisibleText"]),
        module("Location", ["IPNetworks", "CFastPathABI"]),
        module("Steering", ["IPNetworks", "Location", "CFastPathABI"]),
        module("Zones", ["IPNetworks", "DNSWire"]),
        module("Resolution", ["IPNetworks", "DNSWire", "Location", "Steering", "Zones", "CFastPathABI"]),
        module(
            "Simulation", ["Health", "DNSWire", "IPNetworks", "Location", "Resolution", "Steering", "CFastPathABI"]),
        module("Health", ["IPNetworks", "CFastPathABI"]),
        module("RoundTrips", ["IPNetworks", "Location", "CFastPathABI"]),
        module("ConfigurationModel", ["Health", "IPNetworks", "DNSWire", "VisibleText"]),
        module(
            "FastPathPlan", ["DNSWire", "IPNetworks", "Location", "Steering", "Resolution", "Zones", "CFastPathABI"]),

        // Effects.
        module("LinuxSupport", ["CLinux", system]),
        module("StateStore"),
        module("Journal", ["StateStore", .product(name: "GRDB", package: "GRDB.swift")]),
        module("ConfigurationYAML", ["ConfigurationModel", "LinuxSupport", .product(name: "Yams", package: "Yams")]),
        module("GeoData", ["IPNetworks", "LinuxSupport", "Location", "VisibleText", "CMaxMindDB", system]),
        module(
            "ModelCompiler",
            [
                "ConfigurationModel", "ConfigurationYAML", "ZoneFile", "GeoData", "Resolution", "Zones", "Steering",
                "Location",
                "DNSWire", "IPNetworks", "LinuxSupport", "CFastPathABI",
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
        module("RoundTripMeter", ["BPFRuntime", "IPNetworks", "RoundTripObject", "RoundTrips", "CFastPathABI"]),
        module("BPFRuntime", ["LinuxSupport", "CLibBPF", "CLinux", system]),
        module("HostCheck", ["BPFRuntime", "LinuxSupport", "CLinux"]),
        module(
            "FastPathDriver",
            [
                "BPFRuntime", "FastPathPlan", "FastPathObject", "LinuxSupport", "Location", "Resolution", "Zones",
                "Steering",
                "CFastPathABI", system,
            ]),
        module(
            "DNSServer",
            [
                "ConnectionLimits", "IPNetworks", "LinuxSupport", "CLinux", logging, lifecycle, system,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        module(
            "HealthChecks",
            [
                "Health", "IPNetworks", "DNSWire", "LinuxSupport", "CLinux", system,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Management: values, who acts, and the two ends of the API.
        module("ControlFailures"),
        module("Telemetry"),
        module("Access", ["ControlFailures", "RegularFiles"]),
        module("ManagementTypes", ["ControlFailures", "VisibleText"]),
        module(
            "ManagementClient",
            [
                "ControlFailures", "ManagementTypes",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        module(
            "ManagementServer",
            [
                "Access", "ConnectionLimits", "ControlFailures", "DNSServer", "IPNetworks", "ManagementTypes",
                "LinuxSupport", "Telemetry", "VisibleText", logging, lifecycle, system,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        module(
            "ControlPlane",
            [
                "StateStore", "ConfigurationModel", "ConfigurationYAML", "ModelCompiler", "DNSWire", "IPNetworks",
                "Location", "Steering", "Resolution", "Zones", "FastPathPlan", "BPFRuntime", "FastPathDriver",
                "DNSServer", "Access", "ControlFailures", "ManagementTypes", "Telemetry", "ManagementServer",
                "ManagementClient",
                "Health", "HealthChecks", "LinuxSupport", "RoundTripMeter", "RoundTrips", "VisibleText", "CFastPathABI",
                "CLinux", logging, lifecycle,
            ]),
        module(
            "Management",
            [
                "Access", "ControlFailures", "ManagementTypes", "Telemetry", "ManagementServer", "ManagementClient",
                "ControlPlane", "StateStore", "ConfigurationModel", "ConfigurationYAML", "ModelCompiler",
                "DNSWire", "IPNetworks", "Location", "Steering", "Resolution", "Zones", "FastPathPlan",
                "FastPathDriver", "BPFRuntime",
                "Health", "HealthChecks", "RoundTripMeter", "RoundTrips", "VisibleText", "ZoneFile", "CFastPathABI",
            ]),
        module(
            "DaemonServices",
            [
                "Access", "ControlFailures", "ManagementTypes", "Telemetry", "ManagementServer", "ManagementClient",
                "ControlPlane", "DNSServer", "ManagementServer", "ConnectionLimits", "ConfigurationModel",
                "ConfigurationYAML", "IPNetworks", "CLinux", logging, lifecycle,
            ]),
        .executableTarget(
            name: "nearcastd",
            dependencies: [
                "Access", "ControlFailures", "ManagementServer", "ManagementClient", "ManagementTypes", "Telemetry",
                "ControlPlane", "DaemonServices", "Management", "Journal", "StateStore", "DNSServer",
                "ConfigurationModel", "ConfigurationYAML", "ModelCompiler", "DNSWire", "FastPathPlan", "Health",
                "HealthChecks", "Resolution", "Zones", "Steering", "BPFRuntime", "CFastPathABI", "CLinux", logging,
                lifecycle,
                arguments,
            ], swiftSettings: strict),
        module("CommandLineText", ["ManagementTypes", "CFastPathABI", "HostCheck"]),
        .executableTarget(
            name: "nearcast",
            dependencies: [
                "CommandLineText", "Access", "ControlFailures", "ManagementClient", "ManagementTypes", "LinuxSupport",
                "Health", "HealthChecks", "HostCheck", "ModelCompiler",

                "ConfigurationModel", "ConfigurationYAML", "Resolution", "Zones", "Simulation", "Steering", "Location",
                "DNSWire",
                "IPNetworks", "DNSServer", "FastPathDriver", "CFastPathABI", arguments, logging, system,
            ], swiftSettings: strict),
        .plugin(name: "BuildBPF", capability: .buildTool()),

        .target(
            name: "CountedObject", dependencies: ["FastPathObject"], path: "Tests/CountedObject",
            exclude: ["nearcast.bpf.c"], swiftSettings: strict, plugins: ["BuildBPF"]),
        .target(
            name: "Fixtures",
            dependencies: [
                "BPFRuntime", "CFastPathABI", "DNSWire", "IPNetworks", "LinuxSupport", "Location", "Resolution",
                "Zones",
                "Steering",
            ],
            path: "Tests/Fixtures", swiftSettings: strict),
        tests(
            "ParityTests",
            [
                "Fixtures", "BPFRuntime", "FastPathDriver", "DNSWire", "FastPathPlan", "FastPathObject",
                "CountedObject",
                "Resolution", "Zones", "Steering", "IPNetworks", "CFastPathABI",
            ]),
        tests("FastPathABITests", ["CFastPathABI"]),
        tests("JournalTests", ["Journal", "StateStore", .product(name: "GRDB", package: "GRDB.swift")]),
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
        .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter", cSettings: strictC),
        tests("SteeringTests", ["CAllocationCounter", "Steering", "Location", "IPNetworks", "CFastPathABI"]),
        tests("ZonesTests", ["Zones", "Resolution", "DNSWire", "IPNetworks"]),
        tests(
            "ResolutionTests",
            [
                "CAllocationCounter", "CFastPathABI", "Resolution", "Zones", "Steering", "Location", "DNSWire",
                "IPNetworks",
            ]),
        tests("FastPathPlanTests", ["Fixtures", "FastPathPlan", "Resolution", "Zones", "DNSWire", "IPNetworks"]),
        tests(
            "SimulationTests",
            [
                "Fixtures", "Simulation", "Health", "Resolution", "Zones", "Steering", "Location", "DNSWire",
                "IPNetworks",
                "CFastPathABI",
            ]),
        tests(
            "ConfigurationModelTests",
            ["ConfigurationModel", "ConfigurationYAML", "Health", "IPNetworks", "DNSWire"]),
        tests(
            "ConfigurationYAMLTests",
            ["ConfigurationModel", "ConfigurationYAML", "Health", "IPNetworks", "DNSWire"]),
        tests(
            "DNSServerTests",
            ["Fixtures", "BPFRuntime", "DNSServer", "IPNetworks", "LinuxSupport", lifecycle, logging, system]),
        tests("ConnectionLimitsTests", ["ConnectionLimits"]),
        tests("LinuxSupportTests", ["LinuxSupport", system]),
        tests("BPFRuntimeTests", ["BPFRuntime", "LinuxSupport", system]),
        tests("HostCheckTests", ["HostCheck"]),
        tests(
            "ControlPlaneTests",
            [
                "Fixtures", "Access", "ControlFailures", "ManagementTypes", "ControlPlane", "StateStore",
                "ConfigurationModel", "ConfigurationYAML",
                "ModelCompiler", "FastPathPlan", "Resolution", "Zones", "Steering", "Health", "DNSWire", "CFastPathABI",
                logging,
            ]),
        tests("TelemetryTests", ["Telemetry"]),
        tests("AccessTests", ["Access", "ControlFailures"]),
        tests("ManagementTypesTests", ["ControlFailures", "ManagementTypes"]),
        tests(
            "ManagementClientTests",
            ["ControlFailures", "ManagementClient", "ManagementTypes"]),
        tests(
            "ManagementServerTests",
            [
                "Access", "ControlFailures", "DNSServer", "Fixtures", "IPNetworks", "ManagementClient",
                "ManagementServer", "ManagementTypes", "Telemetry", lifecycle, logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests("CommandLineTextTests", ["CommandLineText", "ManagementTypes"]),
        tests(
            "ModelCompilerTests",
            [
                "Fixtures", "ModelCompiler", "ConfigurationModel", "ConfigurationYAML", "Resolution", "Zones",
                "Steering", "Location",
                "IPNetworks", "CFastPathABI",
            ]),
        tests("GeoDataTests", ["Fixtures", "GeoData", "Location", "IPNetworks", "CFastPathABI"]),
        tests(
            "KernelTests",
            [
                "Fixtures", "BPFRuntime", "FastPathDriver", "FastPathPlan", "Resolution", "Zones", "Steering",
                "DNSWire",
                "IPNetworks",
                "CFastPathABI",
            ]),
        tests(
            "DaemonTests",
            [
                "Access", "Fixtures", "BPFRuntime", "ControlFailures", "IPNetworks", "Journal", "LinuxSupport",
                "ManagementClient", "ManagementTypes", "StateStore",
                "CFastPathABI",
            ]),
    ]
)

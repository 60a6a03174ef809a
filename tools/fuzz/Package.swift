// swift-tools-version:6.2
import PackageDescription

// The pure modules again, by symbolic link, so that they and nothing else are compiled with the fuzzer's and the
// address sanitizer's instruments. tools/fuzz/run builds and runs this.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// libFuzzer brings `main`.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies,
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .target(name: "CFastPathABI", publicHeadersPath: "."),
        .target(name: "CLinux"),
        .systemLibrary(name: "CMaxMindDB", pkgConfig: "libmaxminddb"),
        module("IPNetworks"),
        module("VisibleText"),
        module("LinuxSupport", ["CLinux", system]),
        module("DNSWire", ["IPNetworks"]),
        module("ZoneFile", ["DNSWire", "IPNetworks", "VisibleText"]),
        module("Location", ["IPNetworks", "CFastPathABI"]),
        module("Steering", ["IPNetworks", "Location", "CFastPathABI"]),
        module("Zones", ["IPNetworks", "DNSWire"]),
        module("Resolution", ["IPNetworks", "DNSWire", "Location", "Steering", "Zones", "CFastPathABI"]),
        module("Health", ["IPNetworks", "CFastPathABI"]),
        module("RoundTrips", ["IPNetworks", "Location", "CFastPathABI"]),
        module("GeoData", ["IPNetworks", "LinuxSupport", "Location", "VisibleText", "CMaxMindDB", system]),
        module("ConfigurationModel", ["Health", "IPNetworks", "DNSWire", "VisibleText"]),
        module("ConfigurationYAML", ["ConfigurationModel", "LinuxSupport", .product(name: "Yams", package: "Yams")]),
        module("ControlFailures"),
        module("ManagementTypes", ["ControlFailures", "VisibleText"]),
        module(
            "FuzzSupport",
            [
                "IPNetworks", "DNSWire", "Location", "Steering", "Resolution", "Zones", "VisibleText", "ZoneFile",
                "CFastPathABI",
            ]),
        fuzzer("FuzzMessage", ["FuzzSupport", "IPNetworks", "Resolution"]),
        fuzzer("FuzzName", ["DNSWire", "FuzzSupport"]),
        fuzzer("FuzzZoneFile", ["DNSWire", "FuzzSupport", "Zones", "ZoneFile"]),
        fuzzer("FuzzReportBody", ["ControlFailures", "FuzzSupport", "ManagementTypes"]),
        fuzzer(
            "FuzzConfiguration", ["ConfigurationModel", "ConfigurationYAML", "DNSWire", "FuzzSupport", "Health"]),
        fuzzer("FuzzDatabase", ["FuzzSupport", "GeoData", "IPNetworks", "Location", "CMaxMindDB"]),
        fuzzer("FuzzGeofeed", ["FuzzSupport", "GeoData", "IPNetworks"]),
        // These link single files of modules that are no libraries, or need NIO.
        fuzzer(
            "FuzzControlBody",
            ["ControlFailures", "DNSWire", "FuzzSupport", "ManagementTypes", "Zones", "VisibleText", "ZoneFile"]),
        fuzzer("FuzzHTTPHead", ["FuzzSupport"]),
        fuzzer(
            "FuzzLatencyFile",
            [
                "FuzzSupport", "IPNetworks", "Location", "LinuxSupport", "RoundTrips", "ConfigurationModel",
                "Steering",
            ]),
    ]
)

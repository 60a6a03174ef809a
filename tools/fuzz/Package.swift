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

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// libFuzzer brings `main`.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies,
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "fuzz",
    targets: [
        .target(name: "CFastPathABI", publicHeadersPath: "."),
        module("IPNetworks", []),
        module("DNSWire", ["IPNetworks"]),
        module("ZoneFile", ["DNSWire", "IPNetworks"]),
        module("Location", ["IPNetworks", "CFastPathABI"]),
        module("Steering", ["IPNetworks", "Location", "CFastPathABI"]),
        module("Serving", ["IPNetworks", "DNSWire", "Location", "Steering", "CFastPathABI"]),
        module("FuzzSupport", ["IPNetworks", "DNSWire", "Location", "Steering", "Serving", "ZoneFile", "CFastPathABI"]),
        fuzzer("FuzzMessage", ["FuzzSupport", "IPNetworks", "Serving"]),
        fuzzer("FuzzName", ["DNSWire", "FuzzSupport"]),
        fuzzer("FuzzZoneFile", ["DNSWire", "FuzzSupport", "Serving", "ZoneFile"]),
    ]
)

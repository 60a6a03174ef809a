"""Critical areas: where their sources are, and the narrowest tests that have to fail when they are wrong."""
from dataclasses import dataclass
from pathlib import Path

from console import Failure


@dataclass(frozen=True)
class Area:
    """Sources are globs below the repository; tests are filters of `swift test`."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    needs_root: bool = False

    def files(self, root: Path) -> list[Path]:
        """The sources, relative to the root. A glob without a file is a fault of the table."""
        found: set[Path] = set()
        for pattern in self.sources:
            files = [path.relative_to(root) for path in root.glob(pattern) if path.is_file()]
            if not files:
                raise Failure(f"area {self.name}: {pattern} matches no file; correct tools/mutants/areas.py")
            found.update(files)
        return sorted(found)


AREAS = (
    Area("program", ("bpf/nearcast.bpf.c", "bpf/lib/*.h"), ("ParityTests", "KernelTests"), needs_root=True),
    # Layouts alone have nothing to get wrong but what the compiler asserts.
    Area("abi", tuple(f"bpf/abi/{name}.h" for name in (
        "hash", "host", "location", "names", "node", "overlay", "rate", "recent", "rtt", "select", "siphash", "station")),
        ("FastPathABITests",)),
    Area("plan", ("Sources/FastPathPlan/*.swift",), ("ParityTests",), needs_root=True),
    Area("resolver", ("Sources/Resolution/*.swift", "Sources/Zones/*.swift"), ("ResolutionTests", "ZonesTests")),
    Area("steering", ("Sources/Steering/*.swift",), ("SteeringTests",)),
    Area("location", ("Sources/Location/*.swift", "Sources/IPNetworks/*.swift"), ("LocationTests", "IPNetworksTests")),
    Area("health", ("Sources/Health/*.swift",), ("HealthTests", "SimulationTests")),
    Area("wire", ("Sources/DNSWire/*.swift",), ("DNSWireTests", "ResolutionTests", "ZoneFileTests")),
    Area("zone_file", ("Sources/ZoneFile/*.swift",), ("ZoneFileTests",)),
    Area("configuration", ("Sources/ConfigurationModel/**/*.swift", "Sources/ConfigurationYAML/*.swift"),
         ("ConfigurationModelTests", "ConfigurationYAMLTests")),
    Area("compiler", ("Sources/ModelCompiler/*.swift",), ("ModelCompilerTests",)),
    Area("journal", ("Sources/Journal/*.swift",), ("JournalTests",)),
    Area("server", ("Sources/DNSServer/*.swift", "Sources/ConnectionLimits/*.swift"),
         ("DNSServerTests", "ConnectionLimitsTests")),
    Area("access", ("Sources/Access/*.swift",), ("AccessTests",)),
    Area("management", tuple(f"Sources/{name}/*.swift" for name in (
        "ManagementTypes", "ManagementClient", "ManagementServer")),
        ("ManagementTypesTests", "ManagementClientTests", "ManagementServerTests")),
    Area("control_plane", ("Sources/ControlPlane/**/*.swift",), ("ControlPlaneTests",)),
    Area("checks", ("Sources/HealthChecks/*.swift",), ("HealthChecksTests",)),
    Area("lookup", ("Sources/HostLookup/*.swift",), ("HostLookupTests",)),
)

# Tests that count allocations, which only an optimised build avoids: mutants are built for debugging.
SKIPPED_TESTS = ("ResolverAllocationTests", "FullOrderTests/allocations")

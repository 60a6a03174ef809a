import BPFRuntime
import Foundation
import Testing

/// Programs for the tests, compiled from C when they run.
enum Fixture {
    /// One map of each kind in use, words in data sections, and small programs that return what they read.
    static let programs = #"""
        #include <linux/bpf.h>
        #include <bpf/bpf_helpers.h>

        struct inner {
            __uint(type, BPF_MAP_TYPE_ARRAY);
            __uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
            __uint(max_entries, 1);
            __type(key, __u32);
            __type(value, __u64);
        };

        struct {
            __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
            __uint(max_entries, 2);
            __type(key, __u32);
            __array(values, struct inner);
        } outer SEC(".maps");

        struct {
            __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
            __uint(max_entries, 1);
            __type(key, __u32);
            __uint(value_size, sizeof(__u32));
        } untyped SEC(".maps");

        struct {
            __uint(type, BPF_MAP_TYPE_HASH);
            __uint(max_entries, 4);
            __type(key, __u64);
            __type(value, __u32);
        } names SEC(".maps");

        struct {
            __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
            __uint(max_entries, 2);
            __type(key, __u32);
            __type(value, __u32);
        } counters SEC(".maps");

        __u64 words[600] SEC(".data.words");
        __u64 generation SEC(".data.control");
        const volatile struct { __u32 index, unused; } settings SEC(".rodata.settings");

        static __always_inline void count(__u32 index)
        {
            __u32 *counter = bpf_map_lookup_elem(&counters, &index);
            if (counter)
                *counter += 1;
        }

        SEC("xdp") int pass(struct xdp_md *ctx) { count(0); return XDP_PASS; }
        SEC("xdp") int other(struct xdp_md *ctx) { count(1); return XDP_PASS; }
        SEC("xdp") int read_word(struct xdp_md *ctx) { return words[599]; }
        SEC("xdp") int interface(struct xdp_md *ctx) { return ctx->ingress_ifindex; }
        SEC("xdp") int grow(struct xdp_md *ctx) { return bpf_xdp_adjust_tail(ctx, 8) ? XDP_ABORTED : XDP_TX; }

        SEC("xdp") int read_inner(struct xdp_md *ctx)
        {
            __u32 slot = generation & 1, index = settings.index;
            void *map = bpf_map_lookup_elem(&outer, &slot);
            __u64 *value = map ? bpf_map_lookup_elem(map, &index) : NULL;
            return value ? *value : 0;
        }

        SEC("xdp") int read_untyped(struct xdp_md *ctx)
        {
            __u32 zero = 0;
            void *map = bpf_map_lookup_elem(&untyped, &zero);
            __u64 *value = map ? bpf_map_lookup_elem(map, &zero) : NULL;
            return value ? *value : 0;
        }

        char LICENSE[] SEC("license") = "Dual BSD/GPL";
        """#

    /// A program that reads the packet without a look at its length.
    static let unsafe = #"""
        #include <linux/bpf.h>
        #include <bpf/bpf_helpers.h>
        SEC("xdp") int careless(struct xdp_md *ctx) { return *(volatile __u8 *)(long)ctx->data; }
        char LICENSE[] SEC("license") = "Dual BSD/GPL";
        """#

    private static let compiled = Result { try compile(programs) }

    /// The object of ``programs``, with a template for its untyped outer map.
    static func open() throws -> BPFObject {
        let object = try BPFObject(bytes: compiled.get(), name: "fixture")
        try object.setInnerMap(outer: "untyped", template: inner("template", entries: 1))
        return object
    }

    static func load() throws -> BPFObject {
        let object = try open()
        try object.load()
        return object
    }

    /// An inner map for the fixture's outer maps.
    static func inner(_ name: String, entries: Int) throws -> BPFMap {
        try BPFMap.create(
            type: .array, name: name, keySize: 4, valueSize: 8, maxEntries: entries, flags: [.memoryMappable, .inner])
    }

    /// A frame that no program of the fixture looks into.
    static let frame = [UInt8](repeating: 0, count: 64)

    /// Compiles a source with the toolchain's clang, in the folder of `swift`, or else with the first in PATH.
    static func compile(_ source: String) throws -> [UInt8] {
        let object = FileManager.default.temporaryDirectory.appending(path: "fixture-\(UUID()).o")
        let input = object.deletingPathExtension().appendingPathExtension("c")
        defer {
            for file in [input, object] {
                try? FileManager.default.removeItem(at: file)
            }
        }
        try source.write(to: input, atomically: false, encoding: .utf8)
        try run(
            "sh", "-c",
            #"""
            clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
            test -x "$clang" || clang=clang
            exec "$clang" -target bpf -mcpu=v3 -O2 -g -isystem "/usr/include/$(uname -m)-linux-gnu" -c "$1" -o "$2"
            """#, "compile", input.path, object.path)
        return try [UInt8](Data(contentsOf: object))
    }
}

/// The bytes of an integer as a map holds them.
func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts what a query costs, independent of any clock: table cells read and helpers called. Only the build for tests
 * counts (Tests/CountedObject); in the program itself the macros expand to nothing.
 */
#pragma once

#ifdef NC_COUNT_ACCESSES
struct nc_accesses {
	__u64 cells;   /* table cells read, each at least one cache line */
	__u64 lookups; /* map look-ups of any kind, those for cells included */
	__u64 clocks;  /* clock reads */
	__u64 frames;  /* helper calls that read or resize the frame */
};

struct nc_accesses accesses SEC(".data.accesses");

#define NC_COUNT(what)			      (accesses.what++)
#define bpf_map_lookup_elem(map, key)	      (NC_COUNT(lookups), (bpf_map_lookup_elem)(map, key))
#define bpf_ktime_get_coarse_ns()	      (NC_COUNT(clocks), (bpf_ktime_get_coarse_ns)())
#define bpf_xdp_adjust_tail(ctx, by)	      (NC_COUNT(frames), (bpf_xdp_adjust_tail)(ctx, by))
#define bpf_xdp_adjust_head(ctx, by)	      (NC_COUNT(frames), (bpf_xdp_adjust_head)(ctx, by))
#define bpf_xdp_load_bytes(ctx, at, to, size) (NC_COUNT(frames), (bpf_xdp_load_bytes)(ctx, at, to, size))
#else
#define NC_COUNT(what) ((void)0)
#endif

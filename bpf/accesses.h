/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a query costs without a clock: table cells read, and calls of the kernel. Counted in a build of its own, which
 * tests run; in the program itself all of this is nothing.
 */
#pragma once

#ifdef NC_COUNT_ACCESSES
struct nc_accesses {
	__u64 cells;   /* of tables, each a cache line at least */
	__u64 lookups; /* in maps of any kind, cells among them */
	__u64 clocks;  /* readings of the clock */
	__u64 frames;  /* calls that read or resize the frame */
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

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Two programs for BPF_PROG_TEST_RUN with `repeat`, which hands every run the frame as the last one left
 * it. Both write a query into it first: set the frame's begin, draw a query, set the length, store the bytes. `whole`
 * then calls the program under test; `empty` does not. Nothing else differs, so the difference of their times is the
 * program's, with the tail call (about what the driver's own call costs) and its own growing of the frame.
 */
#include "workload.bpf.h"

#define HEADROOM 256
#define PAGE	 4096

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} under_test SEC(".maps");

/* Where the frame begins. In memory, a pointer into it becomes a number. */
static volatile __u64 begins;

/*
 * Undoes growth at the head: a test run's frame lies on a page of its own, behind XDP_PACKET_HEADROOM. (The
 * tail is write_query's.)
 */
static __always_inline int restore_head(struct xdp_md *ctx)
{
	begins = ctx->data;
	return bpf_xdp_adjust_head(ctx, HEADROOM - (int)(begins & (PAGE - 1)));
}

SEC("xdp")
int whole(struct xdp_md *ctx)
{
	if (restore_head(ctx) || write_query(ctx))
		return XDP_ABORTED;
	bpf_tail_call(ctx, &under_test, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int empty(struct xdp_md *ctx)
{
	if (restore_head(ctx) || write_query(ctx))
		return XDP_ABORTED;
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

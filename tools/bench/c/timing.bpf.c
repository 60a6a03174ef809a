// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Two programs for BPF_PROG_TEST_RUN with `repeat`, which hands every run the frame as the last one left
 * it. Both write a query into it first: draw one, set the frame's length, store the bytes. `whole` then calls
 * the program under test; `empty` does not. Nothing else differs, so the difference of their times is the
 * program's, with the tail call (about what the driver's own call costs) and its own growing of the frame.
 */
#include "workload.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} under_test SEC(".maps");

SEC("xdp")
int whole(struct xdp_md *ctx)
{
	if (write_query(ctx))
		return XDP_ABORTED;
	bpf_tail_call(ctx, &under_test, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int empty(struct xdp_md *ctx)
{
	if (write_query(ctx))
		return XDP_ABORTED;
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

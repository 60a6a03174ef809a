// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Two programs for BPF_PROG_TEST_RUN with `repeat`, which hands every run the frame as the last one left
 * it. Both write a query into it first: set the frame's begin, draw a query, set the length, store the bytes. `whole`
 * then calls the program under test, `empty` one that returns at once. Nothing else differs, so the difference of their
 * times is the program's, with its own growing of the frame.
 *
 * `hashes` is the yardstick, work that is the same on every machine: SipHash-2-4 of 20 bytes, each of the result of the
 * one before.
 */
#include "../../../bpf/abi/siphash.h"
#include "timing.h"
#include "workload.bpf.h"

#define HEADROOM 256
#define PAGE	 4096

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2); /* the program under test, and `idle` */
	__type(key, __u32);
	__type(value, __u32);
} called SEC(".maps");

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
	bpf_tail_call(ctx, &called, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int empty(struct xdp_md *ctx)
{
	if (restore_head(ctx) || write_query(ctx))
		return XDP_ABORTED;
	bpf_tail_call(ctx, &called, 1);
	return XDP_ABORTED;
}

SEC("xdp")
int idle(struct xdp_md *ctx)
{
	return XDP_TX;
}

struct hash_run {
	__u64 value;
};

/* Makes the hashes matter. */
static volatile __u64 hashed;

static long hash_some(__u32 index, struct hash_run *run)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < HASHES_A_STEP; i++) {
		__u64 words[2] = {run->value, index};

		run->value = nc_siphash_words((struct nc_siphash_key){1, 2}, words, 2, index, 20);
	}
	return 0;
}

SEC("xdp")
int hashes(struct xdp_md *ctx)
{
	struct hash_run run = {1};

	bpf_loop(HASHES / HASHES_A_STEP, hash_some, &run, 0);
	hashed = run.value;
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

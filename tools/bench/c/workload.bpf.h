/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Puts a query of the workload, drawn pseudo-randomly, into the frame at hand. */
#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "workload.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FRAMES_MAX);
	__type(key, __u32);
	__type(value, struct frame);
} frames SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CLIENTS_MAX);
	__type(key, __u32);
	__type(value, struct client);
} clients SEC(".maps");

struct workload workload SEC(".data.workload");

static __u64 state = 0x9e3779b97f4a7c15ULL;

/* xorshift64* (Vigna 2016): a helper's call would cost more than the numbers do. */
static __always_inline __u64 draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

/* A number below `count` (Lemire 2019). */
static __always_inline __u32 below(__u32 random, __u32 count)
{
	return ((__u64)random * count) >> 32;
}

/* Writes a query over the frame, whatever it held; 0, or -1 when something is missing. */
static __always_inline int write_query(struct xdp_md *ctx)
{
	__u64 random = draw();
	__u32 which = below(random >> 32, workload.frames), who = below(random, workload.clients), length, tail;
	struct frame *frame = bpf_map_lookup_elem(&frames, &which);
	struct client *client = bpf_map_lookup_elem(&clients, &who);

	if (!frame || !client)
		return -1;
	length = frame->length;
	if (length < FRAME_MIN)
		return -1;
	/* Hides the first check: folded into one, the two are refused by older verifiers. */
	asm volatile("" : "+r"(length));
	if (length > FRAME_BYTES)
		return -1;
	if (bpf_xdp_adjust_tail(ctx, (int)length - (int)bpf_xdp_get_buff_len(ctx)))
		return -1;
	if (bpf_xdp_store_bytes(ctx, 0, frame->data, length))
		return -1;
	tail = frame->client_bytes;
	if (!tail)
		return 0;
	asm volatile("" : "+r"(tail));
	if (tail > sizeof(client->bytes))
		return -1;
	return bpf_xdp_store_bytes(ctx, length - tail, client->bytes, tail);
}

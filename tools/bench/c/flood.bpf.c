// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A closed-loop generator: `flood` makes a query of every live frame that BPF_PROG_TEST_RUN gives it, as
 * long as fewer than a window's worth are without reply; `sink`, on the same interface, counts replies.
 * Both run on one CPU, and neither is preempted by the other: plain words do.
 */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>

#include "flood.h"
#include "workload.bpf.h"

struct tally tally SEC(".data.tally");

/* When the last answer with an address came in, in nanoseconds of CLOCK_MONOTONIC. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STAMPS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
} stamps SEC(".maps");

/* The daemon's words of its nodes (struct nc_words of bpf/abi/node.h): the loader puts the pinned map here. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64[NODES]);
} words SEC(".maps");

static __u64 full_since, seen, next, word;

struct packet {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	__be16 id;
	__u8 flags[2];
	__be16 count[4];
} __attribute__((packed));

/* Whether another query may leave. */
static __always_inline int has_room(void)
{
	__u64 now;

	if (tally.sent - tally.replies - tally.given_up < tally.window)
		return 1;
	tally.held++;
	now = bpf_ktime_get_ns();
	if (tally.replies != seen || !full_since) {
		seen = tally.replies;
		full_since = now;
	}
	if (now - full_since < GIVE_UP_NS)
		return 0;
	tally.given_up = tally.sent - tally.replies;
	full_since = 0;
	return 1;
}

/* Whether the pace does not allow another query yet. */
static __always_inline int is_early(void)
{
	__u64 now;

	if (!tally.gap_ns)
		return 0;
	now = bpf_ktime_get_ns();
	if (now < next)
		return 1;
	next = now + tally.gap_ns;
	return 0;
}

/* The name's first label is of eight letters at least, behind its length. */
static __always_inline int vary_label(struct xdp_md *ctx)
{
	__u8 *label = (void *)(long)ctx->data + sizeof(struct packet) + 1;

	if (label + 8 > (__u8 *)(long)ctx->data_end)
		return -1;
	*(__u64 *)label = 0x6161616161616161ULL + (draw() >> 2 & 0x0f0f0f0f0f0f0f0fULL);
	return 0;
}

static __always_inline int vary_source(struct xdp_md *ctx)
{
	struct packet *packet = (void *)(long)ctx->data;
	__u32 sum = 0;

	if ((void *)(packet + 1) > (void *)(long)ctx->data_end)
		return -1;
	packet->ip.saddr = draw() >> 32;
	packet->ip.check = 0;
	for (int i = 0; i < 10; i++)
		sum += ((__u16 *)&packet->ip)[i];
	sum = (sum & 0xffff) + (sum >> 16);
	packet->ip.check = ~((sum & 0xffff) + (sum >> 16));
	return 0;
}

SEC("xdp")
int flood(struct xdp_md *ctx)
{
	struct packet *packet;

	if (is_early() || !has_room())
		return XDP_DROP;
	if (write_query(ctx))
		return XDP_ABORTED;
	if ((tally.varies & VARIES_LABEL) && vary_label(ctx))
		return XDP_ABORTED;
	if ((tally.varies & VARIES_SOURCE) && vary_source(ctx))
		return XDP_ABORTED;
	packet = (void *)(long)ctx->data;
	if ((void *)(packet + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	packet->id = tally.sent++;
	return XDP_TX;
}

/* A paced generator shares its CPU, and what receives may move to another. */
static __always_inline void add(__u64 *count)
{
	if (tally.gap_ns)
		__sync_fetch_and_add(count, 1);
	else
		++*count;
}

static __always_inline void watch_word(void)
{
	__u32 zero = 0, slot = (tally.watches - 1) & (NODES - 1), index = WORD_STAMP;
	__u64 *all = bpf_map_lookup_elem(&words, &zero), *last = bpf_map_lookup_elem(&stamps, &index);

	if (!all || !last || all[slot] == word)
		return;
	word = all[slot];
	*last = bpf_ktime_get_ns();
}

static __always_inline void stamp(struct xdp_md *ctx)
{
	__u64 at = tally.stamp_at, *last;
	__u8 *address;
	__u32 index;

	asm volatile("" : "+r"(at));
	if (at > FRAME_BYTES)
		return;
	address = (void *)(long)ctx->data + at;
	if (address + 4 > (__u8 *)(long)ctx->data_end || address[0] != 198 || address[1] != 18)
		return;
	index = address[2] << 8 | address[3];
	last = bpf_map_lookup_elem(&stamps, &index);
	if (last)
		*last = bpf_ktime_get_ns();
}

SEC("xdp")
int sink(struct xdp_md *ctx)
{
	struct packet *packet = (void *)(long)ctx->data;

	if ((void *)(packet + 1) > (void *)(long)ctx->data_end)
		return XDP_PASS;
	if (packet->eth.h_proto != bpf_htons(ETH_P_IP) || packet->ip.protocol != IPPROTO_UDP ||
	    packet->udp.source != bpf_htons(53) || packet->udp.dest != bpf_htons(CLIENT_PORT) ||
	    !(packet->flags[0] & 0x80))
		return XDP_PASS;
	add(&tally.replies);
	if (!(packet->flags[1] & 0x0f) && packet->count[1])
		add(&tally.answers);
	if (tally.watches)
		watch_word();
	if (tally.stamp_at)
		stamp(ctx);
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";

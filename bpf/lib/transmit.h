/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Turns the frame into the reply's: grown at the tail or, where the driver leaves no room there, at the
 * head; headers written anew; checksums computed from parts, because queries may arrive with partial ones.
 */
#pragma once

#include "count.h"

#define NC_HOPS		64
#define NC_WORD_ALIGNED 0x1fc /* a reply's length in whole words; replies stay below 512 bytes */

static __always_inline __u16 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Makes the frame `size` bytes long; its old content need not survive. */
static __always_inline int resize(struct xdp_md *ctx, __u32 size)
{
	__s32 growth = (__s32)size - (__s32)bpf_xdp_get_buff_len(ctx);

	if (!growth)
		return 0;
	if (!bpf_xdp_adjust_tail(ctx, growth)) {
		if (growth > 0)
			count(NC_GREW_TAIL);
		return 0;
	}
	if (growth > 0 && !bpf_xdp_adjust_head(ctx, -growth)) {
		count(NC_GREW_HEAD);
		return 0;
	}
	return -1;
}

/* UDP checksum (RFC 768; RFC 8200 section 8.1): never 0 on the wire. */
static __always_inline __be16 udp_checksum(struct query *q, __u32 length)
{
	__u32 udp_length = length + sizeof(struct udphdr);
	/* The mapped prefix of an IPv4 address sums to ones twice, which is zero: both families add alike. */
	__u64 sum = (__u64)q->client_port + q->server_port + bpf_htons(udp_length) * 2 + bpf_htons(IPPROTO_UDP);
	__s64 body = bpf_csum_diff(0, 0, (__be32 *)q->message, (length + 3) & NC_WORD_ALIGNED, 0);
	__u16 folded;

	for (int i = 0; i < 2; i++) {
		sum += (q->client[i] & 0xffffffff) + (q->client[i] >> 32);
		sum += (q->server[i] & 0xffffffff) + (q->server[i] >> 32);
	}
	sum += (__u32)body;
	folded = ~fold(sum);
	return folded ? folded : 0xffff;
}

static __always_inline void write_udp(struct udphdr *udp, struct query *q, __u32 length)
{
	udp->source = q->server_port;
	udp->dest = q->client_port;
	udp->len = bpf_htons(length + sizeof(*udp));
	udp->check = udp_checksum(q, length);
}

static __always_inline void write_ipv4(struct iphdr *ip, const struct query *q, __u32 length)
{
	__u32 *word = (__u32 *)ip;
	__u64 sum = 0;

	*(__be16 *)ip = bpf_htons(0x4500);
	ip->tot_len = bpf_htons(length + sizeof(struct udphdr) + sizeof(*ip));
	ip->id = 0;			  /* an atomic datagram needs none (RFC 6864 section 4.1) */
	ip->frag_off = bpf_htons(0x4000); /* do not fragment */
	ip->ttl = NC_HOPS;
	ip->protocol = IPPROTO_UDP;
	ip->check = 0;
	ip->saddr = q->server[1] >> 32;
	ip->daddr = q->client[1] >> 32;
	for (int i = 0; i < 5; i++)
		sum += word[i];
	ip->check = ~fold(sum);
}

static __always_inline void write_ipv6(struct ipv6hdr *ip, const struct query *q, __u32 length)
{
	*(__be32 *)ip = bpf_htonl(0x60000000);
	ip->payload_len = bpf_htons(length + sizeof(struct udphdr));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = NC_HOPS;
	__builtin_memcpy(&ip->saddr, q->server, sizeof(q->server));
	__builtin_memcpy(&ip->daddr, q->client, sizeof(q->client));
}

/* Sends the message of `length` bytes back where the query came from. */
static __always_inline int transmit(struct xdp_md *ctx, struct query *q, __u32 length)
{
	__u32 headers = q->headers;
	struct ethhdr *eth;
	void *data, *end;

	if (length < 1)
		return NC_PASS_ROOM;
	barrier_var(length);
	if (length > NC_MESSAGE_BYTES)
		return NC_PASS_ROOM;
	if (resize(ctx, headers + length))
		return NC_PASS_ROOM;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	eth = data;
	if (data + sizeof(*eth) + sizeof(struct ipv6hdr) + sizeof(struct udphdr) > end)
		return NC_PASS_ROOM;
	__builtin_memcpy(eth->h_dest, q->client_mac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, q->server_mac, ETH_ALEN);
	if (q->family == NC_FAMILY_V4) {
		eth->h_proto = bpf_htons(ETH_P_IP);
		write_ipv4((void *)(eth + 1), q, length);
		write_udp((void *)(eth + 1) + sizeof(struct iphdr), q, length);
	} else {
		eth->h_proto = bpf_htons(ETH_P_IPV6);
		write_ipv6((void *)(eth + 1), q, length);
		write_udp((void *)(eth + 1) + sizeof(struct ipv6hdr), q, length);
	}
	if (bpf_xdp_store_bytes(ctx, headers, q->message, length))
		return NC_PASS_ROOM;
	return NC_ANSWERED;
}

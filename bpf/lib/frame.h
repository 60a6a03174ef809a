/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Ethernet, VLAN tags, IP and UDP headers of the query: what is ours, and where its DNS message stands. */
#pragma once

#include "../maps.h"
#include "query.h"

#define NC_MAX_TAGS    8 /* bytes: 802.1Q inside 802.1ad */
#define NC_HEADERS_V4  42
#define NC_HEADERS_V6  62
#define NC_MAX_HEADERS (NC_HEADERS_V6 + NC_MAX_TAGS)

#define NC_IP_FRAGMENT	   0x3fff /* more-fragments flag and offset */
#define NC_IP_OFFSET	   0x1fff
#define NC_FRAGMENT_OFFSET 0xfff8	     /* of IPv6's header */
#define NC_MAX_EXTENSIONS  4		     /* headers before UDP */
#define NC_APART	   -2		     /* the ports stand elsewhere, or nowhere */
#define NC_MAPPED_PREFIX   bpf_htonl(0xffff) /* ::ffff:0:0/96, third word */

/* An IPv4 address in the form all addresses are compared in. */
static __always_inline __u64 mapped_low(__be32 address)
{
	return (__u64)NC_MAPPED_PREFIX | (__u64)address << 32;
}

/* Whether the packet is addressed to one of ours. */
static __always_inline int is_served(const struct nc_generation *generation, const struct query *q)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_SERVICES; i++) {
		const struct nc_service *service = &generation->service[i];

		if (i >= generation->services)
			break;
		if (service->address[1] == q->server[1] && service->address[0] == q->server[0] &&
		    service->port == q->server_port)
			return 1;
	}
	return 0;
}

static __always_inline int is_extension(__u32 protocol)
{
	return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING || protocol == IPPROTO_FRAGMENT ||
	       protocol == IPPROTO_DSTOPTS;
}

/*
 * A datagram to q->server whose UDP header stands behind IPv4 options or IPv6 extension headers (RFC 8200 section 4.1)
 * or in a first fragment, from the IP header at `at` on. It is not answered here; whether user space's budget is to
 * cover it, its port says. Fragments after the first have none. A verdict.
 */
NC_STEP int judge_apart(struct xdp_md *ctx, __u32 at, __u32 slot)
{
	const struct nc_generation *generation;
	__u32 zero = 0, protocol = IPPROTO_UDP;
	struct query *q;
	__u8 head[8];

	slot &= NC_GENERATIONS - 1;
	generation = bpf_map_lookup_elem(&generations, &slot);
	q = bpf_map_lookup_elem(&scratch, &zero);
	if (!generation || !q || bpf_xdp_load_bytes(ctx, at, head, sizeof(head)))
		return NC_PASS_FRAME;
	if (head[0] >> 4 == 6) {
		protocol = head[6];
		at += sizeof(struct ipv6hdr);
	} else if (head[0] >> 4 == 4 && !(load_u16(head + 6) & bpf_htons(NC_IP_OFFSET))) {
		at += 4 * (head[0] & 15);
	} else {
		return NC_PASS_FRAME;
	}
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i <= NC_MAX_EXTENSIONS; i++) {
		if (bpf_xdp_load_bytes(ctx, at, head, sizeof(head)))
			return NC_PASS_FRAME;
		if (protocol == IPPROTO_UDP) {
			q->server_port = load_u16(head + 2);
			return is_served(generation, q) ? NC_PASS_DATAGRAM : NC_PASS_OTHER;
		}
		if (!is_extension(protocol))
			return NC_PASS_OTHER;
		if (protocol == IPPROTO_FRAGMENT && load_u16(head + 2) & bpf_htons(NC_FRAGMENT_OFFSET))
			return NC_PASS_FRAME;
		at += 8 + (protocol == IPPROTO_FRAGMENT ? 0 : 8 * head[1]);
		protocol = head[0];
	}
	return NC_PASS_FRAME;
}

/* UDP header at `udp`; `payload` is what IP says it carries. No reply goes to a sender that is not `usable`. */
static __always_inline int parse_udp(struct udphdr *udp, void *end, __u32 payload, int usable, struct query *q,
				     const struct nc_generation *generation)
{
	__u32 length;

	if ((void *)(udp + 1) > end)
		return NC_PASS_FRAME;
	q->client_port = udp->source;
	q->server_port = udp->dest;
	if (!is_served(generation, q))
		return NC_PASS_OTHER;
	/* A reply to port 0 goes nowhere; to port 53 it may be another server's, and loop. */
	if (!usable || udp->source == 0 || udp->source == bpf_htons(53))
		return NC_PASS_DATAGRAM;
	length = bpf_ntohs(udp->len);
	if (length != payload)
		return NC_PASS_DATAGRAM;
	q->length = length - sizeof(*udp);
	return NC_CONTINUE;
}

static __always_inline int parse_ipv4(struct iphdr *ip, void *end, struct query *q,
				      const struct nc_generation *generation)
{
	__u8 first;
	int usable;

	if ((void *)(ip + 1) > end || ip->protocol != IPPROTO_UDP)
		return NC_PASS_OTHER;
	q->server[0] = 0;
	q->server[1] = mapped_low(ip->daddr);
	if (*(__u8 *)ip != 0x45 || (ip->frag_off & bpf_htons(NC_IP_FRAGMENT)))
		return NC_APART;
	/* This network, loopback, multicast and broadcast are no one to answer; 240.0.0.0/4 is. */
	first = *(__u8 *)&ip->saddr;
	usable = first != 0 && first != 127 && (first & 0xf0) != 224 && ip->saddr != ~0U;
	q->family = NC_FAMILY_V4;
	q->client[0] = 0;
	q->client[1] = mapped_low(ip->saddr);
	q->headers = NC_HEADERS_V4 + q->tags;
	return parse_udp((void *)(ip + 1), end, bpf_ntohs(ip->tot_len) - sizeof(*ip), usable, q, generation);
}

static __always_inline int parse_ipv6(struct ipv6hdr *ip, void *end, struct query *q,
				      const struct nc_generation *generation)
{
	int usable;

	if ((void *)(ip + 1) > end)
		return NC_PASS_OTHER;
	q->client[0] = load_u64(&ip->saddr);
	q->client[1] = load_u64(&ip->saddr.s6_addr32[2]);
	q->server[0] = load_u64(&ip->daddr);
	q->server[1] = load_u64(&ip->daddr.s6_addr32[2]);
	/* A mapped destination would pass for an IPv4 service. */
	if (q->server[0] == 0)
		return NC_PASS_OTHER;
	if (ip->nexthdr != IPPROTO_UDP)
		return is_extension(ip->nexthdr) ? NC_APART : NC_PASS_OTHER;
	/* Unspecified, loopback, mapped and multicast sources are no one to answer. */
	usable = q->client[0] != 0 && (q->client[0] & 0xff) != 0xff;
	q->family = NC_FAMILY_V6;
	q->headers = NC_HEADERS_V6 + q->tags;
	return parse_udp((void *)(ip + 1), end, bpf_ntohs(ip->payload_len), usable, q, generation);
}

/* Copies the message by words; the last one overlaps the one before. At least 17 bytes. */
static __always_inline int copy_in(struct xdp_md *ctx, struct query *q, __u32 length)
{
	void *end = (void *)(long)ctx->data_end;
	__u32 headers = q->headers, at = NC_HEADER_BYTES;
	void *from;

	if (headers > NC_MAX_HEADERS)
		return NC_PASS_FRAME;
	from = (void *)(long)ctx->data + headers;
	if (from + 20 > end)
		return NC_PASS_FRAME;
	store_u64(&q->message[0], *(__u64 *)from);
	*(__u32 *)&q->message[8] = *(__u32 *)(from + 8);
	/* Nearly every frame is as long as this; what is copied behind a shorter message is never looked at. */
	if (from + NC_HEADER_BYTES + 32 <= end) {
		for (; at < NC_HEADER_BYTES + 32; at += 8)
			store_u64(&q->message[at], *(__u64 *)(from + at));
	}
#pragma clang loop unroll(disable)
	for (; at < NC_MESSAGE_BYTES; at += 8) {
		if (at + 8 > length)
			break;
		if (from + at + 8 > end)
			return NC_PASS_FRAME;
		store_u64(&q->message[at], *(__u64 *)(from + at));
	}
	length = (length - 8) & (NC_MESSAGE_BYTES - 1);
	barrier_var(length);
	length &= NC_MESSAGE_BYTES - 1;
	from += length;
	if (from + 8 > end)
		return NC_PASS_FRAME;
	store_u64(&q->message[length], *(__u64 *)from);
	return NC_CONTINUE;
}

static __always_inline int is_tag(__be16 protocol)
{
	return protocol == bpf_htons(ETH_P_8021Q) || protocol == bpf_htons(ETH_P_8021AD);
}

/*
 * Reads up to two VLAN tags (802.1Q), whose control information is whatever the network makes of it. Only tags that the
 * interface leaves in the frame are seen.
 */
static __always_inline int parse_tags(void *data, void *end, struct query *q, __u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);

	if (!protocol || protocol->declines_tagged)
		return NC_PASS_OTHER;
	if (data + sizeof(struct ethhdr) + NC_MAX_TAGS > end)
		return NC_PASS_OTHER;
	q->tag[0] = load_u32(data + 12);
	q->tag[1] = load_u32(data + 16);
	q->tags = is_tag((__be16)q->tag[1]) ? 8 : 4;
	return NC_CONTINUE;
}

/* Reads the headers and copies the DNS message into the query. */
static __always_inline int parse_frame(struct xdp_md *ctx, struct query *q, __u32 slot,
				       const struct nc_generation *generation)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	__u32 length, tags = 0;
	__be16 protocol;
	int verdict;

	if ((void *)(eth + 1) > end)
		return NC_PASS_OTHER;
	copy_mac(q->client_mac, eth->h_source);
	copy_mac(q->server_mac, eth->h_dest);
	protocol = load_u16(&eth->h_proto);
	q->tags = 0;
	if (is_tag(protocol)) {
		if ((verdict = parse_tags(data, end, q, slot)) != NC_CONTINUE)
			return verdict;
		tags = q->tags;
		barrier_var(tags);
		if (tags > NC_MAX_TAGS)
			return NC_PASS_OTHER;
		data += tags;
		if (data + sizeof(*eth) > end)
			return NC_PASS_OTHER;
		protocol = load_u16(data + 12);
	}
	if (protocol == bpf_htons(ETH_P_IP))
		verdict = parse_ipv4(data + sizeof(*eth), end, q, generation);
	else if (protocol == bpf_htons(ETH_P_IPV6))
		verdict = parse_ipv6(data + sizeof(*eth), end, q, generation);
	else
		return NC_PASS_OTHER;
	if (verdict == NC_APART)
		return judge_apart(ctx, tags + sizeof(*eth), slot);
	if (verdict != NC_CONTINUE)
		return verdict;
	if (q->server_mac[0] & 1) /* group address */
		return NC_PASS_DATAGRAM;

	/* The smallest query: header, root name, type, class. */
	length = q->length;
	if (length < 17)
		return NC_PASS_HEADER;
	barrier_var(length);
	if (length > NC_MESSAGE_BYTES)
		return NC_PASS_HEADER;
	return copy_in(ctx, q, length);
}

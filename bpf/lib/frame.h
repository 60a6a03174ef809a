/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ethernet, VLAN, IP and UDP headers: whether the packet is a query for this server, and where its DNS message begins.
 * Writes q->frame. docs/frames.md lists what is passed to user space.
 */
#pragma once

#include "step.h"

#define NC_MAX_TAGS    8 /* bytes: 802.1Q inside 802.1ad */
#define NC_NESTED_TAGS 8 /* tags that the kernel removes at most: VLAN interfaces nest no deeper */
#define NC_HEADERS_V4  42
#define NC_HEADERS_V6  62
#define NC_MAX_HEADERS (NC_HEADERS_V6 + NC_MAX_TAGS)

#define NC_IP_FRAGMENT	   0x3fff /* more-fragments flag and offset */
#define NC_IP_OFFSET	   0x1fff
#define NC_FRAGMENT_OFFSET 0xfff8	     /* in the IPv6 fragment header */
#define NC_MAX_EXTENSIONS  4		     /* IPv6 extension headers before UDP */
#define NC_IRREGULAR	   -2		     /* UDP does not directly follow a plain IP header */
#define NC_MAPPED_PREFIX   bpf_htonl(0xffff) /* ::ffff:0:0/96, third word */

/* The second word of an IPv4 address in the form ::ffff:a.b.c.d, in which all addresses are compared. */
static __always_inline __u64 mapped_low(__be32 address)
{
	return (__u64)NC_MAPPED_PREFIX | (__u64)address << 32;
}

/* Whether the packet is for an address and port that the daemon serves; with `any_port`, for such an address. */
static __always_inline int is_served(const struct nc_generation *generation, const struct query *q, int any_port)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_SERVICES; i++) {
		const struct nc_service *service = &generation->service[i];

		if (i >= generation->services)
			break;
		if (service->address[1] == q->frame.server[1] && service->address[0] == q->frame.server[0] &&
		    (any_port || service->port == q->frame.server_port))
			return 1;
	}
	return 0;
}

static __always_inline int is_extension(__u32 protocol)
{
	return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING || protocol == IPPROTO_FRAGMENT ||
	       protocol == IPPROTO_DSTOPTS;
}

/* Reads the destination of the IP header at `at` into the query. Returns the version, 4 or 6, or 0 for neither. */
static __always_inline __u32 read_destination(struct xdp_md *ctx, __u32 at, struct query *q)
{
	__be32 address;
	__u8 first;

	if (bpf_xdp_load_bytes(ctx, at, &first, sizeof(first)))
		return 0;
	if (first >> 4 == 6)
		return bpf_xdp_load_bytes(ctx, at + 24, q->frame.server, sizeof(q->frame.server)) ? 0 : 6;
	if (first >> 4 != 4 || bpf_xdp_load_bytes(ctx, at + 16, &address, sizeof(address)))
		return 0;
	q->frame.server[0] = 0;
	q->frame.server[1] = mapped_low(address);
	return 4;
}

/*
 * Returns the verdict for a datagram that the program never answers, because of what precedes its UDP header: IPv4
 * options, IPv6 extension headers (RFC 8200 section 4.1), a fragment header, or more VLAN tags than are parsed. `at` is
 * the offset of the IP header. The budget for user space applies if the datagram is for a served port; where the chain
 * of headers is too long to follow, a served address is enough. Later fragments carry no port, and are useless without
 * the first one.
 */
NC_STEP int irregular_verdict(struct xdp_md *ctx, __u32 at, __u32 slot)
{
	const struct nc_generation *generation;
	__u32 protocol = IPPROTO_UDP, version;
	struct query *q;
	__u8 head[8];

	generation = begin_step(&generations, &slot, &q);
	if (!generation)
		return NC_PASS_FRAME;
	version = read_destination(ctx, at, q);
	if (!version || bpf_xdp_load_bytes(ctx, at, head, sizeof(head)))
		return NC_PASS_FRAME;
	if (version == 6) {
		protocol = head[6];
		at += sizeof(struct ipv6hdr);
	} else if (!(load_u16(head + 6) & bpf_htons(NC_IP_OFFSET))) {
		__u8 found;

		if (bpf_xdp_load_bytes(ctx, at + 9, &found, sizeof(found)))
			return NC_PASS_FRAME;
		protocol = found;
		at += 4 * (head[0] & 15);
	} else {
		return NC_PASS_FRAME;
	}
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i <= NC_MAX_EXTENSIONS; i++) {
		if (bpf_xdp_load_bytes(ctx, at, head, sizeof(head)))
			return NC_PASS_FRAME;
		if (protocol == IPPROTO_UDP) {
			q->frame.server_port = load_u16(head + 2);
			return is_served(generation, q, 0) ? NC_PASS_DATAGRAM : NC_PASS_OTHER;
		}
		if (version == 4 || !is_extension(protocol))
			return NC_PASS_OTHER;
		if (protocol == IPPROTO_FRAGMENT && load_u16(head + 2) & bpf_htons(NC_FRAGMENT_OFFSET))
			return NC_PASS_FRAME;
		at += 8 + (protocol == IPPROTO_FRAGMENT ? 0 : 8 * head[1]);
		protocol = head[0];
	}
	return is_served(generation, q, 1) ? NC_PASS_DATAGRAM : NC_PASS_OTHER;
}

/* Whether an address belongs to the host, or is the broadcast address of one of its networks. */
NC_STEP int is_listed(__u64 high, __u64 low)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_OWN; i++) {
		const struct nc_own *own = &station.own[i];

		if (i >= station.count)
			break;
		if (own->address[1] == low && own->address[0] == high)
			return 1;
	}
	return 0;
}

/* Whether the sender is the host itself or a broadcast address. The kernel drops such a packet as a martian. */
static __always_inline int is_martian(const struct query *q)
{
	if (!(NC_READ_ONCE(station.filter) & nc_own_bit(q->frame.client[0], q->frame.client[1])))
		return 0;
	return is_listed(q->frame.client[0], q->frame.client[1]);
}

/*
 * Whether the frame, which is not for a group, is for another host: its destination is not the address of the interface
 * that received it. The kernel drops such a frame (PACKET_OTHERHOST). An interface that is not listed accepts every
 * frame; test runs list none.
 */
NC_STEP int is_misdirected(__u32 index, __u64 address)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_INTERFACES; i++) {
		__u64 known = NC_READ_ONCE(station.interface[i].index);

		if (!known)
			break;
		if (known == index)
			return NC_READ_ONCE(station.interface[i].address) != address;
	}
	return 0;
}

/* Parses the UDP header. `payload` is the length according to IP. A sender that is not `usable` gets no reply. */
static __always_inline int parse_udp(struct udphdr *udp, void *end, __u32 payload, int usable, struct query *q,
				     const struct nc_generation *generation)
{
	__u32 length;

	if ((void *)(udp + 1) > end)
		return NC_PASS_FRAME;
	q->frame.client_port = udp->source;
	q->frame.server_port = udp->dest;
	if (!is_served(generation, q, 0))
		return NC_PASS_OTHER;
	/* On a well-known source port there may be a service that replies to anything: the resolver handles those. */
	if (!usable || bpf_ntohs(udp->source) < NC_FIRST_CLIENT_PORT || is_martian(q))
		return NC_PASS_DATAGRAM;
	length = bpf_ntohs(udp->len);
	if (length != payload)
		return NC_PASS_DATAGRAM;
	q->frame.message_length = length - sizeof(*udp);
	return NC_CONTINUE;
}

static __always_inline int parse_ipv4(struct iphdr *ip, void *end, struct query *q,
				      const struct nc_generation *generation)
{
	__u8 first;
	int usable;

	if ((void *)(ip + 1) > end || ip->protocol != IPPROTO_UDP)
		return NC_PASS_OTHER;
	q->frame.server[0] = 0;
	q->frame.server[1] = mapped_low(ip->daddr);
	if (*(__u8 *)ip != 0x45 || (ip->frag_off & bpf_htons(NC_IP_FRAGMENT)))
		return NC_IRREGULAR;
	/* No reply to 0.0.0.0/8, loopback, multicast and broadcast. 240.0.0.0/4 gets replies. */
	first = *(__u8 *)&ip->saddr;
	usable = first != 0 && first != 127 && (first & 0xf0) != 224 && ip->saddr != ~0U;
	q->frame.family = NC_FAMILY_V4;
	q->frame.client[0] = 0;
	q->frame.client[1] = mapped_low(ip->saddr);
	q->frame.headers = NC_HEADERS_V4 + q->frame.tags;
	return parse_udp((void *)(ip + 1), end, bpf_ntohs(ip->tot_len) - sizeof(*ip), usable, q, generation);
}

static __always_inline int parse_ipv6(struct ipv6hdr *ip, void *end, struct query *q,
				      const struct nc_generation *generation)
{
	int usable;

	if ((void *)(ip + 1) > end)
		return NC_PASS_OTHER;
	q->frame.client[0] = load_u64(&ip->saddr);
	q->frame.client[1] = load_u64(&ip->saddr.s6_addr32[2]);
	q->frame.server[0] = load_u64(&ip->daddr);
	q->frame.server[1] = load_u64(&ip->daddr.s6_addr32[2]);
	/* An IPv4-mapped destination would be mistaken for an IPv4 service. */
	if (q->frame.server[0] == 0)
		return NC_PASS_OTHER;
	if (ip->nexthdr != IPPROTO_UDP)
		return is_extension(ip->nexthdr) ? NC_IRREGULAR : NC_PASS_OTHER;
	/* No reply to the unspecified address, loopback, IPv4-mapped and multicast addresses. */
	usable = q->frame.client[0] != 0 && (q->frame.client[0] & 0xff) != 0xff;
	/* Over IPv6 a checksum is required (RFC 8200 section 8.1): the kernel drops a datagram without one. */
	if ((void *)(ip + 1) + sizeof(struct udphdr) <= end && !((struct udphdr *)(ip + 1))->check)
		usable = 0;
	q->frame.family = NC_FAMILY_V6;
	q->frame.headers = NC_HEADERS_V6 + q->frame.tags;
	return parse_udp((void *)(ip + 1), end, bpf_ntohs(ip->payload_len), usable, q, generation);
}

/* Copies the message, of at least 17 bytes, word by word; the last word overlaps the one before. */
static __always_inline int copy_in(struct xdp_md *ctx, struct query *q, __u32 length)
{
	void *end = (void *)(long)ctx->data_end;
	__u32 headers = q->frame.headers, at = NC_HEADER_BYTES;
	void *from;

	if (headers > NC_MAX_HEADERS)
		return NC_PASS_FRAME;
	from = (void *)(long)ctx->data + headers;
	if (from + 20 > end)
		return NC_PASS_FRAME;
	store_u64(&q->message[0], *(__u64 *)from);
	*(__u32 *)&q->message[8] = *(__u32 *)(from + 8);
	/* Nearly every frame is at least this long. Bytes copied from behind a shorter message are never read. */
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
 * Reads one or two VLAN tags (802.1Q); the reply repeats their control information unchanged. Only tags that the
 * interface leaves in the frame are visible.
 */
static __always_inline int parse_tags(void *data, void *end, struct query *q)
{
	if (data + sizeof(struct ethhdr) + NC_MAX_TAGS > end)
		return NC_PASS_OTHER;
	q->frame.tag[0] = load_u32(data + 12);
	q->frame.tag[1] = load_u32(data + 16);
	q->frame.tags = is_tag((__be16)q->frame.tag[1]) ? 8 : 4;
	return NC_CONTINUE;
}

/* Returns the verdict for a frame with more VLAN tags than are parsed. `at` is the offset of the first EtherType. */
NC_STEP int tagged_verdict(struct xdp_md *ctx, __u32 at, __u32 slot)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i <= NC_NESTED_TAGS; i++) {
		__be16 type;

		if (bpf_xdp_load_bytes(ctx, at, &type, sizeof(type)))
			return NC_PASS_OTHER;
		if (type == bpf_htons(ETH_P_IP) || type == bpf_htons(ETH_P_IPV6))
			return irregular_verdict(ctx, at + sizeof(type), slot);
		if (!is_tag(type))
			return NC_PASS_OTHER;
		at += 4;
	}
	return NC_PASS_OTHER;
}

/* Whether frames with VLAN tags are passed to user space. */
static __always_inline int declines_tagged(__u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);

	return !protocol || protocol->declines_tagged;
}

/* Parses the headers of a frame. Returns NC_CONTINUE for a query whose DNS message can be read, else the verdict. */
static __always_inline int parse_headers(struct xdp_md *ctx, struct query *q, __u32 slot,
					 const struct nc_generation *generation)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	__u32 tags = 0;
	__be16 protocol;
	int verdict;

	if ((void *)(eth + 1) > end)
		return NC_PASS_OTHER;
	copy_mac(q->frame.client_mac, eth->h_source);
	copy_mac(q->frame.server_mac, eth->h_dest);
	protocol = load_u16(&eth->h_proto);
	q->frame.tags = 0;
	if (is_tag(protocol)) {
		if ((verdict = parse_tags(data, end, q)) != NC_CONTINUE)
			return verdict;
		tags = q->frame.tags;
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
	else if (is_tag(protocol))
		return tagged_verdict(ctx, 12, slot);
	else
		return NC_PASS_OTHER;
	if (verdict == NC_IRREGULAR)
		return irregular_verdict(ctx, tags + sizeof(*eth), slot);
	return verdict == NC_CONTINUE && tags && declines_tagged(slot) ? NC_PASS_DATAGRAM : verdict;
}

/* Parses the headers and copies the DNS message into the query. */
static __always_inline int parse_frame(struct xdp_md *ctx, struct query *q, __u32 slot,
				       const struct nc_generation *generation)
{
	int verdict = parse_headers(ctx, q, slot, generation);
	__u32 length;

	/* Not for the server: the checks below do not matter. */
	if (verdict == NC_PASS_OTHER || verdict == NC_PASS_FRAME)
		return verdict;
	if (q->frame.server_mac[0] & 1) /* group address */
		return NC_PASS_DATAGRAM;
	if (is_misdirected(ctx->ingress_ifindex, load_u64(q->frame.server_mac) & 0xffffffffffff))
		return NC_PASS_OTHER;
	if (verdict != NC_CONTINUE)
		return verdict;

	/* The smallest query: header, root name, type, class. */
	length = q->frame.message_length;
	if (length < 17)
		return NC_PASS_HEADER;
	barrier_var(length);
	if (length > NC_MESSAGE_BYTES)
		return NC_PASS_HEADER;
	return copy_in(ctx, q, length);
}

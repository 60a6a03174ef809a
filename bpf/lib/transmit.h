/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Turns the frame into the reply: resized at the tail or, if the driver leaves no room there, at the head, with new
 * headers. Checksums are computed from scratch, never updated, because queries may arrive with partial ones.
 */
#pragma once

#include "count.h"
#include "frame.h"
#include "options.h"

#define NC_HOPS 64
/* The longest tail that is transmitted, in whole words. */
#define NC_TAIL_BYTES 512
_Static_assert(NC_ALWAYS_FITS + NC_MAX_OPT_BYTES - 4 - NC_NSID_BYTES <= NC_UDP_PAYLOAD_PLAIN,
	       "without NSID these replies fit every client");
_Static_assert(NC_ALWAYS_FITS_RECORDS <= NC_ANSWER_BYTES, "the records are in the tail");
_Static_assert(NC_ALWAYS_FITS_RECORDS + NC_MAX_OPT_BYTES <= NC_TAIL_BYTES && NC_TAIL_BYTES <= NC_TAIL_MASK + 1,
	       "the tail has room for records and OPT");
#define NC_FRAME_MASK 1023
_Static_assert(NC_MAX_HEADERS + NC_HEADER_BYTES + NC_NAME_BYTES + 4 + NC_TAIL_BYTES <= NC_FRAME_MASK,
	       "the mask keeps every offset of the longest reply");

static __always_inline __u16 fold(__u64 sum)
{
	/* The sum of four parts has at most 18 bits, then 17, then 16. */
	sum = (sum & 0xffff) + ((sum >> 16) & 0xffff) + ((sum >> 32) & 0xffff) + (sum >> 48);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/*
 * Resizes the frame to `size` bytes: at the tail, where the question stays in place, else at the head. Returns 1 if the
 * question has to be written again, 0 if not, and -1 if the frame cannot be resized.
 */
static __always_inline int resize(struct xdp_md *ctx, __u32 size)
{
	/* Subtracts 64-bit pointers: the verifier refuses a 32-bit difference. */
	__s32 growth = size - (__u32)((void *)(long)ctx->data_end - (void *)(long)ctx->data);

	if (!growth)
		return 0;
	if (!bpf_xdp_adjust_tail(ctx, growth)) {
		if (growth > 0)
			count(NC_GREW_TAIL);
		return 0;
	}
	if (growth > 0 && !bpf_xdp_adjust_head(ctx, -growth)) {
		count(NC_GREW_HEAD);
		return 1;
	}
	return -1;
}

/* The sum of both addresses. The prefix of mapped IPv4 addresses is left out: 0xffff, added twice, counts as 0. */
static __always_inline __u64 sum_addresses(const struct query *q)
{
	__u64 sum = (q->frame.client[1] >> 32) + (q->frame.server[1] >> 32);

	if (q->frame.family == NC_FAMILY_V4)
		return sum;
	sum += (__u64)(__u32)q->frame.client[1] + (__u32)q->frame.server[1];
	sum += (q->frame.client[0] >> 32) + (q->frame.server[0] >> 32);
	return sum + (__u32)q->frame.client[0] + (__u32)q->frame.server[0];
}

/* The UDP header. `sum` covers message and addresses. The checksum is never 0 (RFC 768, RFC 8200 section 8.1). */
static __always_inline void write_udp(struct udphdr *udp, const struct query *q, __u32 length, __u64 sum)
{
	__u16 udp_length = bpf_htons(length + sizeof(struct udphdr)), folded;

	sum += (__u64)q->frame.client_port + q->frame.server_port + udp_length * 2 + bpf_htons(IPPROTO_UDP);
	folded = ~fold(sum);
	udp->source = q->frame.server_port;
	udp->dest = q->frame.client_port;
	udp->len = udp_length;
	udp->check = folded ? folded : 0xffff;
}

/* Writes the DNS header: ID and RD from the query, the rest from q->reply. Returns its sum. */
static __always_inline __u64 write_header(void *to, const struct query *q)
{
	__u64 asked = load_u64(q->message), word;
	__u32 counts = q->reply.authorities | (__u32)(__u16)(q->reply.additionals + ((__u32)q->edns.has_opt << 8))
						      << 16;

	word = (asked & 0xffff) | (q->reply.flags | ((asked >> 16) & 1)) << 16 | (__u64)q->reply.code << 24 |
	       (__u64)bpf_htons(1) << 32 | (__u64)q->reply.answers << 48;
	*(__u64 *)to = word;
	*(__u32 *)(to + 8) = counts;
	return (word & 0xffffffff) + (word >> 32) + counts;
}

/* Writes the question as received, and up to 7 bytes more, which the tail overwrites. */
static __always_inline int write_question(struct xdp_md *ctx, const struct query *q)
{
	void *to = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 headers = NC_READ_ONCE(q->frame.headers), length = q->question.end;

	if (headers > NC_MAX_HEADERS)
		return -1;
	to += headers;
#pragma clang loop unroll(disable)
	for (__u32 at = NC_HEADER_BYTES; at < NC_HEADER_BYTES + NC_NAME_BYTES + 8; at += 8) {
		if (at >= length)
			break;
		if (to + at + 8 > end)
			return -1;
		*(__u64 *)(to + at) = load_u64(&q->message[at]);
	}
	return 0;
}

/* Loads a word of the tail, in two halves: records begin on 4-byte boundaries, and were stored as words from there. */
static __always_inline __u64 tail_word(const struct query *q, __u32 at)
{
	return load_u32(&q->reply.tail[at]) | (__u64)load_u32(&q->reply.tail[at + 4]) << 32;
}

/*
 * Writes the tail of `length` bytes, which is 0 or at least 8, and zero up to the next word boundary. The frame ends
 * with it, so a last partial word is stored together with bytes of the word before.
 */
static __always_inline int write_records(struct xdp_md *ctx, __u32 offset, const struct query *q, __u32 length,
					 __u64 *sum)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u64 before = 0, word = 0;
	__u32 at = 0, bits;
	void *to;

#pragma clang loop unroll(disable)
	for (; at < NC_TAIL_BYTES; at += 8) {
		__u32 place = offset + at;

		if (at >= length)
			return 0;
		word = tail_word(q, at);
		*sum += (word & 0xffffffff) + (word >> 32);
		if (at + 8 > length)
			break;
		/* On the stack, Linux 6.1 would lose the bounds of the offset. */
		barrier_var(place);
		to = data + (place & NC_FRAME_MASK);
		if (to + 8 > end)
			return -1;
		*(__u64 *)to = word;
		before = word;
	}
	bits = 8 * (length & 7);
	to = data + ((offset + length - 8) & NC_FRAME_MASK);
	if (to + 8 > end)
		return -1;
	*(__u64 *)to = before >> bits | word << (64 - bits);
	return 0;
}

/*
 * Writes the message behind the headers and computes its sum. By words, because a helper call costs many times as much
 * on a hardened kernel. Each function loads the packet's bounds again: bounds checked earlier would only multiply the
 * states that the verifier tracks. The size of the headers is loaded again too, next to its check: Linux 6.1 loses the
 * bounds of a value that was on the stack.
 */
static __always_inline int write_message(struct xdp_md *ctx, const struct query *q, int moved, __u32 tail, __u64 *sum)
{
	__u32 headers, question = q->question.end;
	__u64 records = 0;

	if (moved && write_question(ctx, q))
		return -1;
	headers = NC_READ_ONCE(q->frame.headers);
	barrier_var(question);
	if (headers > NC_MAX_HEADERS)
		return -1;
	if (question > NC_HEADER_BYTES + NC_NAME_BYTES + 4)
		return -1;
	if (write_records(ctx, headers + question, q, tail, &records))
		return -1;
	/* Behind a question of odd length every byte is in the other half of its 16-bit word. */
	*sum = q->question.sum + (records << 8 * (question & 1));
	return 0;
}

/* Writes the IPv4 header. `addresses` is the sum of both addresses. */
static __always_inline void write_ipv4(__be32 *ip, const struct query *q, __u32 length, __u64 addresses)
{
	__be32 first = bpf_htons(0x4500) | (__u32)bpf_htons(length + sizeof(struct udphdr) + sizeof(struct iphdr))
						   << 16;
	__be32 second = (__u32)bpf_htons(0x4000) << 16; /* atomic datagram (RFC 6864 section 4.1): ID 0, DF set */
	__be32 third = NC_HOPS | IPPROTO_UDP << 8;

	ip[0] = first;
	ip[1] = second;
	ip[2] = third | (__u32)(__u16)~fold(addresses + first + second + third) << 16;
	ip[3] = q->frame.server[1] >> 32;
	ip[4] = q->frame.client[1] >> 32;
}

static __always_inline void write_ipv6(struct ipv6hdr *ip, const struct query *q, __u32 length)
{
	*(__be32 *)ip = bpf_htonl(0x60000000);
	ip->payload_len = bpf_htons(length + sizeof(struct udphdr));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = NC_HOPS;
	__builtin_memcpy(&ip->saddr, q->frame.server, sizeof(q->frame.server));
	__builtin_memcpy(&ip->daddr, q->frame.client, sizeof(q->frame.client));
}

/* Writes the Ethernet header except its type, and the VLAN tags as received. */
static __always_inline int write_ethernet(struct xdp_md *ctx, const struct query *q)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;

	if (data + sizeof(*eth) + NC_MAX_TAGS > end)
		return -1;
	copy_mac(eth->h_dest, q->frame.client_mac);
	copy_mac(eth->h_source, q->frame.server_mac);
	if (q->frame.tags) {
		/* With a single tag, the second word is overwritten by what follows. */
		*(__be32 *)(data + 12) = q->frame.tag[0];
		*(__be32 *)(data + 16) = q->frame.tag[1];
	}
	return 0;
}

/* Sends question and tail back to the sender of the query. NC_CONTINUE: done. */
static __always_inline int transmit(struct xdp_md *ctx, struct query *q)
{
	__u32 headers = q->frame.headers, tail = q->reply.tail_length, length = q->question.end + tail, at;
	int moved = resize(ctx, headers + length);
	void *data, *end;
	__u64 sum, addresses = sum_addresses(q);

	if (moved < 0 || write_message(ctx, q, moved, tail, &sum))
		return NC_PASS_ROOM;
	if (write_ethernet(ctx, q))
		return NC_PASS_ROOM;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	at = q->frame.tags;
	if (at > NC_MAX_TAGS)
		return NC_PASS_ROOM;
	data += at;
	if (q->frame.family == NC_FAMILY_V4) {
		if (data + NC_HEADERS_V4 + NC_HEADER_BYTES > end)
			return NC_PASS_ROOM;
		*(__be16 *)(data + 12) = bpf_htons(ETH_P_IP);
		write_ipv4(data + sizeof(struct ethhdr), q, length, addresses);
		sum += write_header(data + NC_HEADERS_V4, q);
		write_udp(data + NC_HEADERS_V4 - sizeof(struct udphdr), q, length, sum + addresses);
	} else {
		if (data + NC_HEADERS_V6 + NC_HEADER_BYTES > end)
			return NC_PASS_ROOM;
		*(__be16 *)(data + 12) = bpf_htons(ETH_P_IPV6);
		write_ipv6(data + sizeof(struct ethhdr), q, length);
		sum += write_header(data + NC_HEADERS_V6, q);
		write_udp(data + NC_HEADERS_V6 - sizeof(struct udphdr), q, length, sum + addresses);
	}
	return NC_CONTINUE;
}

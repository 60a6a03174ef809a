/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Turns the frame into the reply's: grown at the tail or, where the driver leaves no room there, at the
 * head; headers written anew; checksums computed from parts, because queries may arrive with partial ones.
 */
#pragma once

#include "count.h"
#include "frame.h"
#include "options.h"

#define NC_HOPS 64
/* The longest tail, in whole words: no reply with more is begun. */
#define NC_TAIL_BYTES 512
_Static_assert(NC_ALWAYS_FITS + NC_MAX_OPT_BYTES - 4 - NC_NSID_BYTES <= NC_UDP_PAYLOAD_PLAIN,
	       "without an identifier so many bytes fit every client");
_Static_assert(NC_ALWAYS_FITS_RECORDS <= NC_ANSWER_BYTES, "they are known");
_Static_assert(NC_ALWAYS_FITS_RECORDS + NC_MAX_OPT_BYTES <= NC_TAIL_BYTES && NC_TAIL_BYTES <= NC_TAIL_MASK + 1,
	       "the tail has room");
#define NC_FRAME_MASK 1023
_Static_assert(NC_MAX_HEADERS + NC_HEADER_BYTES + NC_NAME_BYTES + 4 + NC_TAIL_BYTES <= NC_FRAME_MASK,
	       "the longest reply's offsets are not masked away");

static __always_inline __u16 fold(__u64 sum)
{
	/* Of four parts no more than 18 bits, then 17, then 16. */
	sum = (sum & 0xffff) + ((sum >> 16) & 0xffff) + ((sum >> 32) & 0xffff) + (sum >> 48);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/*
 * Makes the frame `size` bytes long: at the tail, where the question stays in its place, else at the head. Returns
 * whether the question must be written anew, or -1.
 */
static __always_inline int resize(struct xdp_md *ctx, __u32 size)
{
	/* As 64-bit pointers: a 32-bit difference of pointers is refused. */
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

/* The sum of both addresses. An IPv4 address's mapped prefix would sum to ones twice, which is zero. */
static __always_inline __u64 sum_addresses(const struct query *q)
{
	__u64 sum = (q->client[1] >> 32) + (q->server[1] >> 32);

	if (q->family == NC_FAMILY_V4)
		return sum;
	sum += (__u64)(__u32)q->client[1] + (__u32)q->server[1];
	sum += (q->client[0] >> 32) + (q->server[0] >> 32);
	return sum + (__u32)q->client[0] + (__u32)q->server[0];
}

/* The UDP header; `sum` is of message and addresses. The checksum is never 0 (RFC 768; RFC 8200 section 8.1). */
static __always_inline void write_udp(struct udphdr *udp, const struct query *q, __u32 length, __u64 sum)
{
	__u16 udp_length = bpf_htons(length + sizeof(struct udphdr)), folded;

	sum += (__u64)q->client_port + q->server_port + udp_length * 2 + bpf_htons(IPPROTO_UDP);
	folded = ~fold(sum);
	udp->source = q->server_port;
	udp->dest = q->client_port;
	udp->len = udp_length;
	udp->check = folded;
}

/* DNS header of the reply: RD as asked, the rest as decided. Adds it up. */
static __always_inline __u64 write_header(void *to, const struct query *q)
{
	__u64 asked = load_u64(q->message), word;
	__u32 counts = q->authorities | (__u32)(__u16)(q->additionals + ((__u32)q->has_opt << 8)) << 16;

	word = (asked & 0xffff) | (q->flags | ((asked >> 16) & 1)) << 16 | (__u64)q->code << 24 |
	       (__u64)bpf_htons(1) << 32 | (__u64)q->answers << 48;
	*(__u64 *)to = word;
	*(__u32 *)(to + 8) = counts;
	return (word & 0xffffffff) + (word >> 32) + counts;
}

/* The question as received. Writes up to 7 bytes too many, where the tail follows. */
static __always_inline int write_question(struct xdp_md *ctx, __u32 headers, const struct query *q)
{
	void *to = (void *)(long)ctx->data + headers, *end = (void *)(long)ctx->data_end;
	__u32 length = q->question_end;

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

/* A word of the tail. By halves: records begin on 4-byte boundaries, and were stored as words from there. */
static __always_inline __u64 tail_word(const struct query *q, __u32 at)
{
	return load_u32(&q->tail[at]) | (__u64)load_u32(&q->tail[at + 4]) << 32;
}

/*
 * The tail, of `length` bytes, at least 16 and zero up to the next word. The frame ends with it: a last part of
 * a word is stored together with bytes of the word before.
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
		/* Kept on the stack, an offset's limits are lost on 6.1. */
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
 * Writes the message behind the headers and adds it up. By words, not by helpers: a call costs many times as
 * much where the kernel is hardened. Each step reads the packet's bounds anew: what an earlier step checked
 * would only multiply the states that the verifier tells apart.
 */
static __always_inline int write_message(struct xdp_md *ctx, const struct query *q, int moved, __u32 tail, __u64 *sum)
{
	__u32 headers = q->headers, question = q->question_end;
	__u64 records = 0;

	if (headers > NC_MAX_HEADERS)
		return -1;
	if (moved && write_question(ctx, headers, q))
		return -1;
	headers = q->headers;
	barrier_var(question);
	if (headers > NC_MAX_HEADERS)
		return -1;
	if (question > NC_HEADER_BYTES + NC_NAME_BYTES + 4)
		return -1;
	if (write_records(ctx, headers + question, q, tail, &records))
		return -1;
	/* Behind a question of odd length every byte stands in the other half of its 16-bit word. */
	*sum = q->question_sum + (records << 8 * (question & 1));
	return 0;
}

/* `addresses` is their sum. */
static __always_inline void write_ipv4(__be32 *ip, const struct query *q, __u32 length, __u64 addresses)
{
	__be32 first = bpf_htons(0x4500) | (__u32)bpf_htons(length + sizeof(struct udphdr) + sizeof(struct iphdr))
						   << 16;
	__be32 second = (__u32)bpf_htons(0x4000) << 16; /* atomic: no id (RFC 6864 section 4.1), not to be fragmented */
	__be32 third = NC_HOPS | IPPROTO_UDP << 8;

	ip[0] = first;
	ip[1] = second;
	ip[2] = third | (__u32)(__u16)~fold(addresses + first + second + third) << 16;
	ip[3] = q->server[1] >> 32;
	ip[4] = q->client[1] >> 32;
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

/* The Ethernet header, but its type, with the tags that came. */
static __always_inline int write_ethernet(struct xdp_md *ctx, const struct query *q)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;

	if (data + sizeof(*eth) + NC_MAX_TAGS > end)
		return -1;
	copy_mac(eth->h_dest, q->client_mac);
	copy_mac(eth->h_source, q->server_mac);
	if (q->tags) {
		/* Behind a single tag the other word is overwritten by what follows. */
		*(__be32 *)(data + 12) = q->tag[0];
		*(__be32 *)(data + 16) = q->tag[1];
	}
	return 0;
}

/* Sends the question and the tail back where the query came from. NC_CONTINUE: done. */
static __always_inline int transmit(struct xdp_md *ctx, struct query *q)
{
	__u32 headers = q->headers, tail = q->tail_length, length = q->question_end + tail, at;
	int moved = resize(ctx, headers + length);
	void *data, *end;
	__u64 sum, addresses = sum_addresses(q);

	if (moved < 0 || write_message(ctx, q, moved, tail, &sum))
		return NC_PASS_ROOM;
	if (write_ethernet(ctx, q))
		return NC_PASS_ROOM;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	at = q->tags;
	if (at > NC_MAX_TAGS)
		return NC_PASS_ROOM;
	data += at;
	if (q->family == NC_FAMILY_V4) {
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

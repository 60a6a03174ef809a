/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The OPT record of the query (RFC 6891 section 6.1). Writes q->edns. Three options are understood: client subnet (RFC
 * 7871 section 6), cookie (RFC 7873 section 4) and NSID (RFC 5001). All others are ignored over UDP.
 */
#pragma once

#include "cookie.h"
#include "question.h"
#include "step.h"

#define NC_OPT_BYTES	11 /* root name, type, class, TTL, length */
#define NC_ERROR_BYTES	6  /* extended error without text (RFC 8914 section 2) */
#define NC_SUBNET_BYTES 8  /* option code, length, family, source, scope */
#define NC_MAX_OPTIONS	8  /* a query with more is passed to user space */

/* Parses the client subnet at `at`. The caller has checked that the option is within the message. */
static __always_inline int parse_subnet(struct query *q, __u32 at)
{
	const __u8 *option = &q->message[at & NC_MESSAGE_MASK];
	__u64 head = load_u64(option); /* code, length, family, source, scope */
	__u32 family = bpf_ntohs((__u16)(head >> 32)), source = (head >> 48) & 0xff, bytes;
	struct nc_address sent;

	if (head >> 56) /* the scope, which must be 0 in a query */
		return NC_PASS_EDNS;
	if (family == NC_FAMILY_V4) {
		if (source > 32)
			return NC_PASS_EDNS;
	} else if (family == NC_FAMILY_V6) {
		if (source > 128)
			return NC_PASS_EDNS;
	} else {
		return NC_PASS_EDNS;
	}
	bytes = (source + 7) / 8;
	if (bpf_ntohs((__u16)(head >> 16)) != 4 + bytes)
		return NC_PASS_EDNS;
	/* The bits behind the prefix must be 0. Without address bytes this reads the scope, which is 0. */
	if (option[(NC_SUBNET_BYTES - 1 + bytes) & 31] & (0xff >> ((source - 1) & 7)) >> 1)
		return NC_PASS_EDNS;
	/* Behind the option are bytes of an earlier query: nc_address_mask clears them. */
	sent.hi = bpf_be64_to_cpu(load_u64(option + NC_SUBNET_BYTES));
	sent.lo = bpf_be64_to_cpu(load_u64(option + NC_SUBNET_BYTES + 8));
	sent.family = family;
	sent.reserved = 0;
	q->edns.subnet = nc_address_mask(sent, source);
	q->edns.has_subnet = 1;
	q->edns.subnet_source = source;
	return NC_CONTINUE;
}

/* Locates the options between `at` and `end`, the end of the message. */
static __always_inline int find_options(struct query *q, __u32 at, __u32 end)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_OPTIONS; i++) {
		__u32 head = load_u32(&q->message[at & NC_MESSAGE_MASK]), code = bpf_ntohs((__u16)head);
		__u32 next = at + 4 + bpf_ntohs((__u16)(head >> 16));

		if (next > end)
			return NC_PASS_EDNS;
		if (code == NC_OPTION_SUBNET) {
			if (q->edns.subnet_at) /* a cache could not tell the answers apart */
				return NC_PASS_EDNS;
			q->edns.subnet_at = at;
		} else if (code == NC_OPTION_COOKIE) {
			if (!q->edns.cookie_at) /* only the first counts (RFC 7873 section 5.2) */
				q->edns.cookie_at = at;
		} else if (code == NC_OPTION_NSID) {
			q->edns.has_nsid = 1;
		}
		if (next == end)
			return NC_CONTINUE;
		at = next;
	}
	return NC_PASS_EDNS;
}

/* Parses the options from `at` to the end of the message; the cookie is only located. */
NC_STEP int parse_options(struct query *q, __u32 at, __u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);
	int verdict;

	if (!q || !protocol)
		return NC_PASS_TABLE;
	if ((verdict = find_options(q, at, q->frame.message_length)) != NC_CONTINUE)
		return verdict;
	if (q->edns.subnet_at && (verdict = parse_subnet(q, q->edns.subnet_at)) != NC_CONTINUE)
		return verdict;
	if (q->edns.has_nsid) {
		if (protocol->nsid == NC_OPTION_DECLINED)
			return NC_PASS_EDNS;
		q->edns.has_nsid = protocol->nsid == NC_OPTION_ANSWERED;
	}
	return NC_CONTINUE;
}

/* Handles the cookie at q->edns.cookie_at as the protocol options say. */
NC_STEP int parse_cookie(struct query *q, __u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);

	if (!q || !protocol)
		return NC_PASS_TABLE;
	if (protocol->cookies == NC_OPTION_IGNORED)
		return NC_CONTINUE;
	if (protocol->cookies == NC_OPTION_DECLINED)
		return NC_PASS_EDNS;
	return examine_cookie(q, protocol);
}

static __always_inline int parse_edns(struct query *q, __u32 slot)
{
	__u32 at = q->question.end, data, alone;
	const __u8 *opt = &q->message[at & NC_MESSAGE_MASK];
	int verdict;

	q->edns.has_opt = q->message[11];
	q->edns.dnssec_ok = 0;
	q->edns.has_subnet = 0;
	q->edns.subnet_source = 0;
	q->edns.has_nsid = 0;
	q->edns.has_cookie = 0;
	q->edns.cookie_valid = 0;
	q->edns.bad_cookie = 0;
	q->edns.subnet_at = 0;
	q->edns.cookie_at = 0;
	if (!q->edns.has_opt)
		return at == q->frame.message_length ? NC_CONTINUE : NC_PASS_EDNS;
	if (at + NC_OPT_BYTES > q->frame.message_length)
		return NC_PASS_EDNS;
	/* Root owner, type OPT, no extended response code, version 0, no flag except DO. */
	if ((load_u64(opt) & 0x7fffff0000ffffffULL) != NC_TYPE_OPT << 16 || opt[8])
		return NC_PASS_EDNS;
	q->edns.dnssec_ok = opt[7] >> 7;
	data = bpf_ntohs(load_u16(opt + 9));
	if (at + NC_OPT_BYTES + data != q->frame.message_length)
		return NC_PASS_EDNS;
	if (!data)
		return NC_CONTINUE;
	/* Most queries with options have only one, a subnet or a cookie. */
	at += NC_OPT_BYTES;
	alone = load_u32(opt + NC_OPT_BYTES) ^ (__u32)bpf_htons(data - 4) << 16;
	if (alone == bpf_htons(NC_OPTION_SUBNET))
		return parse_subnet(q, at);
	if (alone == bpf_htons(NC_OPTION_COOKIE))
		q->edns.cookie_at = at;
	else if ((verdict = parse_options(q, at, slot)) != NC_CONTINUE)
		return verdict;
	return q->edns.cookie_at ? parse_cookie(q, slot) : NC_CONTINUE;
}

/* The size limit of the reply in bytes (RFC 6891 section 6.2.5; RFC 9715). */
static __always_inline __u32 reply_limit(const struct query *q)
{
	__u32 payload;

	if (!q->edns.has_opt)
		return NC_UDP_PAYLOAD_PLAIN;
	payload = bpf_ntohs(load_u16(&q->message[(q->question.end + 3) & NC_MESSAGE_MASK]));
	if (payload < NC_UDP_PAYLOAD_PLAIN)
		return NC_UDP_PAYLOAD_PLAIN;
	return payload < NC_UDP_PAYLOAD ? payload : NC_UDP_PAYLOAD;
}

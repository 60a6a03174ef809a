/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The OPT record (RFC 6891 section 6.1) with, at most, a client subnet option (RFC 7871 section 6). */
#pragma once

#include "bpf.h"
#include "query.h"
#include "question.h"

#define NC_OPT_BYTES	 11 /* root name, type, class, TTL, length */
#define NC_OPTION_SUBNET 8
#define NC_SUBNET_BYTES	 8 /* option code, length, family, source, scope */

static __always_inline __u64 message_be64(const struct query *q, __u32 offset)
{
	return bpf_be64_to_cpu(load_u64(&q->message[offset & NC_MESSAGE_MASK]));
}

/* The option at `offset`; `room` bytes are left for it, and it must fill them. */
static __always_inline int parse_subnet(struct query *q, __u32 offset, __u32 room)
{
	struct nc_address sent, whole;
	__u32 family, source, bytes;

	if (room < NC_SUBNET_BYTES || message_u16(q, offset) != NC_OPTION_SUBNET ||
	    message_u16(q, offset + 2) != room - 4)
		return NC_PASS_EDNS;
	family = message_u16(q, offset + 4);
	source = q->message[(offset + 6) & NC_MESSAGE_MASK];
	if (q->message[(offset + 7) & NC_MESSAGE_MASK])
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
	if (room != NC_SUBNET_BYTES + bytes)
		return NC_PASS_EDNS;
	/* Behind the option stands whatever an earlier query left: cut to whole bytes, then to bits. */
	sent.hi = message_be64(q, offset + NC_SUBNET_BYTES);
	sent.lo = message_be64(q, offset + NC_SUBNET_BYTES + 8);
	sent.family = family;
	sent.reserved = 0;
	whole = nc_address_mask(sent, 8 * bytes);
	q->subnet = nc_address_mask(sent, source);
	if (whole.hi != q->subnet.hi || whole.lo != q->subnet.lo) /* spare bits set */
		return NC_PASS_EDNS;
	q->has_subnet = 1;
	q->subnet_source = source;
	return NC_CONTINUE;
}

static __always_inline int parse_edns(struct query *q)
{
	__u32 at = q->question_end, data;
	const __u8 *opt = &q->message[at & NC_MESSAGE_MASK];

	q->has_opt = q->message[11];
	q->dnssec_ok = 0;
	q->has_subnet = 0;
	q->subnet_source = 0;
	q->subnet_scope = 0;
	if (!q->has_opt)
		return at == q->length ? NC_CONTINUE : NC_PASS_EDNS;
	if (at + NC_OPT_BYTES > q->length)
		return NC_PASS_EDNS;
	/* Root owner, type OPT, no extended code, version 0, no flag but DO. */
	if ((load_u64(opt) & 0x7fffff0000ffffffULL) != 41 << 16 || opt[8])
		return NC_PASS_EDNS;
	q->dnssec_ok = opt[7] >> 7;
	data = message_u16(q, at + 9);
	if (at + NC_OPT_BYTES + data != q->length)
		return NC_PASS_EDNS;
	return data ? parse_subnet(q, at + NC_OPT_BYTES, data) : NC_CONTINUE;
}

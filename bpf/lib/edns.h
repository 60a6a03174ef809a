/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The OPT record (RFC 6891 section 6.1) with, at most, a client subnet option (RFC 7871 section 6). */
#pragma once

#include "bpf.h"
#include "query.h"
#include "question.h"

#define NC_OPT_BYTES	 11 /* root name, type, class, TTL, length */
#define NC_OPTION_SUBNET 8
#define NC_SUBNET_BYTES	 8 /* option code, length, family, source, scope */

/* The option at `option`; `room` bytes are left for it, and it must fill them. */
static __always_inline int parse_subnet(struct query *q, const __u8 *option, __u32 room)
{
	__u64 head = load_u64(option); /* code, length, family, source, scope */
	__u32 family = bpf_ntohs((__u16)(head >> 32)), source = (head >> 48) & 0xff, bytes;
	struct nc_address sent, whole;

	if ((__u32)head != (bpf_htons(NC_OPTION_SUBNET) | (__u32)bpf_htons(room - 4) << 16) || head >> 56)
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
	sent.hi = bpf_be64_to_cpu(load_u64(option + NC_SUBNET_BYTES));
	sent.lo = bpf_be64_to_cpu(load_u64(option + NC_SUBNET_BYTES + 8));
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
	data = bpf_ntohs(load_u16(opt + 9));
	if (at + NC_OPT_BYTES + data != q->length)
		return NC_PASS_EDNS;
	return data ? parse_subnet(q, opt + NC_OPT_BYTES, data) : NC_CONTINUE;
}

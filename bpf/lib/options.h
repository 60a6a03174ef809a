/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The OPT record, the last one of the reply: subnet, NSID, cookie, extended error, in the order that the resolver uses.
 * It is assembled in a register and stored as whole words, because it is read again right away, by words.
 */
#pragma once

#include "../maps.h"
#include "edns.h"
#include "step.h"

/* The longest OPT in a reply with records: an IPv6 subnet of 24 bytes, NSID, and a cookie. */
#define NC_MAX_OPT_BYTES (NC_OPT_BYTES + 24 + 4 + NC_NSID_BYTES + NC_COOKIE_BYTES)

/*
 * A reply of at most this many bytes before OPT, with records of at most this many bytes, fits every client, unless OPT
 * carries NSID.
 */
#define NC_ALWAYS_FITS	       448
#define NC_ALWAYS_FITS_RECORDS 304

/*
 * Appends the first `count` bytes (1 to 8) of a word; its other bytes are 0. The position is kept in the query: in
 * registers the verifier would track every length separately.
 */
static __always_inline void append_word(struct query *q, __u64 word, __u32 count)
{
	__u32 bytes = NC_READ_ONCE(q->reply.opt.bytes), at = NC_READ_ONCE(q->reply.opt.at), shift = 8 * bytes;
	__u64 part = NC_READ_ONCE(q->reply.opt.part) | word << shift;

	*(__u64 *)&q->reply.tail[at & NC_TAIL_MASK] = part;
	bytes += count;
	if (bytes >= 8) {
		bytes -= 8;
		at += 8;
		/* In two shifts: one by 64 bits is undefined, and 0 is wanted. */
		part = word >> 1 >> (63 - shift);
	}
	q->reply.opt.part = part;
	q->reply.opt.at = at;
	q->reply.opt.bytes = bytes;
}

/* The client subnet as received, with the scope. */
static __always_inline void append_subnet(struct query *q)
{
	__u32 bytes = (q->edns.subnet_source + 7) / 8;
	__u64 high = bpf_cpu_to_be64(q->edns.subnet.hi), low = bpf_cpu_to_be64(q->edns.subnet.lo);

	append_word(q,
		    bpf_htons(NC_OPTION_SUBNET) | (__u64)bpf_htons(4 + bytes) << 16 |
			    (__u64)bpf_htons(q->edns.subnet.family) << 32 | (__u64)q->edns.subnet_source << 48 |
			    (__u64)q->decision.scope << 56,
		    8);
	if (bytes > 8) {
		append_word(q, high, 8);
		append_word(q, low, bytes - 8);
	} else if (bytes) {
		append_word(q, high, bytes);
	}
}

static __always_inline void append_identifier(struct query *q, const struct nc_protocol *protocol)
{
	__u32 length = protocol->nsid_length;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_NSID_WORDS; i++) {
		__s32 left = (__s32)length - 8 * (__s32)i;

		if (left <= 0)
			break;
		append_word(q, protocol->nsid_option[i], left < 8 ? left : 8);
	}
}

static __always_inline void append_cookie(struct query *q)
{
	append_word(q, bpf_htons(NC_OPTION_COOKIE) | (__u32)bpf_htons(NC_COOKIE_BYTES - 4) << 16, 4);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < 3; i++)
		append_word(q, q->edns.cookie[i], 8);
}

/* Size of the OPT record in the reply; 0 if the query has none. */
static __always_inline __u32 opt_length(const struct query *q, const struct nc_protocol *protocol)
{
	__u32 length = NC_OPT_BYTES;

	if (!q->edns.has_opt)
		return 0;
	if (q->edns.has_subnet)
		length += NC_SUBNET_BYTES + (q->edns.subnet_source + 7) / 8;
	if (q->edns.has_nsid && protocol)
		length += protocol->nsid_length;
	if (q->edns.has_cookie)
		length += NC_COOKIE_BYTES;
	if (q->reply.has_error)
		length += NC_ERROR_BYTES;
	return length;
}

/*
 * Writes an OPT record with no option except a subnet, as words at fixed offsets. The caller appends `more` bytes of
 * options. Returns the size so far.
 */
static __always_inline __u32 write_short_opt(struct query *q, __u64 first, __u32 more)
{
	__u8 *out = &q->reply.tail[q->reply.tail_length & NC_TAIL_MASK];
	__u32 bytes = (q->edns.subnet_source + 7) / 8;
	__u64 high = bpf_cpu_to_be64(q->edns.subnet.hi), low = bpf_cpu_to_be64(q->edns.subnet.lo);

	*(__u64 *)out = first;
	if (!q->edns.has_subnet) {
		*(__u64 *)(out + 8) = (__u64)bpf_htons(more) << 8;
		*(__u64 *)(out + 16) = 0;
		return NC_OPT_BYTES;
	}
	/* Second byte of the flags, length; option code, option length, first byte of the family. */
	*(__u64 *)(out + 8) = (__u64)bpf_htons(NC_SUBNET_BYTES + bytes + more) << 8 |
			      (__u64)bpf_htons(NC_OPTION_SUBNET) << 24 | (__u64)bpf_htons(4 + bytes) << 40;
	/* Second byte of the family, source, scope, address: 16 bytes, zero behind those that are sent. */
	*(__u64 *)(out + 16) =
		q->edns.subnet.family | (__u64)q->edns.subnet_source << 8 | (__u64)q->decision.scope << 16 | high << 24;
	*(__u64 *)(out + 24) = high >> 40 | low << 24;
	*(__u64 *)(out + 32) = low >> 40;
	*(__u64 *)(out + 40) = 0;
	return NC_OPT_BYTES + NC_SUBNET_BYTES + bytes;
}

/* Appends the cookie to the tail, whose last word is zero behind tail_length. */
static __always_inline void write_last_cookie(struct query *q)
{
	__u32 at = NC_READ_ONCE(q->reply.tail_length), shift = 8 * (at & 7);
	__u64 *out = (__u64 *)&q->reply.tail[at & NC_TAIL_MASK & ~7U];
	__u64 part = *out;
	__u64 word[4] = {
		bpf_htons(NC_OPTION_COOKIE) | (__u32)bpf_htons(NC_COOKIE_BYTES - 4) << 16 | q->edns.cookie[0] << 32,
		q->edns.cookie[0] >> 32 | q->edns.cookie[1] << 32,
		q->edns.cookie[1] >> 32 | q->edns.cookie[2] << 32,
		q->edns.cookie[2] >> 32,
	};

#pragma clang loop unroll(full)
	for (__u32 i = 0; i < 4; i++) {
		out[i] = part | word[i] << shift;
		/* In two shifts: one by 64 bits is undefined, and 0 is wanted. */
		part = word[i] >> 1 >> (63 - shift);
	}
	out[4] = part;
	q->reply.tail_length = at + NC_COOKIE_BYTES;
}

/* Writes the OPT record with all its options; `first` is its first word. Returns its size. */
NC_STEP __u32 write_long_opt(struct query *q, __u64 first, __u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);

	if (!q || !protocol)
		return 0;
	q->reply.opt.part = 0;
	q->reply.opt.at = q->reply.tail_length;
	q->reply.opt.bytes = 0;
	append_word(q, first, 8);
	append_word(q, (__u64)bpf_htons(opt_length(q, protocol) - NC_OPT_BYTES) << 8, 3);
	if (q->edns.has_subnet)
		append_subnet(q);
	if (q->edns.has_nsid)
		append_identifier(q, protocol);
	if (q->edns.has_cookie)
		append_cookie(q);
	if (q->reply.has_error)
		append_word(q,
			    bpf_htons(NC_OPTION_ERROR) | (__u32)bpf_htons(NC_ERROR_BYTES - 4) << 16 |
				    (__u64)q->reply.error << 32,
			    NC_ERROR_BYTES);
	*(__u64 *)&q->reply.tail[q->reply.opt.at & NC_TAIL_MASK] = q->reply.opt.part;
	*(__u64 *)&q->reply.tail[(q->reply.opt.at + 8) & NC_TAIL_MASK] = 0;
	return q->reply.opt.at + q->reply.opt.bytes - q->reply.tail_length;
}

/* Appends the OPT record if the query has one. The tail stays zero from tail_length up to the next word boundary. */
static __always_inline void write_opt(struct query *q, __u32 slot)
{
	__u64 first;

	if (!q->edns.has_opt)
		return;
	/* Root name, type, payload size, extended response code and version, first byte of the flags. */
	first = (__u64)bpf_htons(NC_TYPE_OPT) << 8 | (__u64)bpf_htons(NC_UDP_PAYLOAD) << 24 |
		(__u64)q->reply.extended_code << 40 | (__u64)(q->edns.dnssec_ok << 7) << 56;
	if (q->edns.has_nsid | q->reply.has_error) {
		q->reply.tail_length += write_long_opt(q, first, slot);
		return;
	}
	q->reply.tail_length += write_short_opt(q, first, q->edns.has_cookie ? NC_COOKIE_BYTES : 0);
	if (q->edns.has_cookie)
		write_last_cookie(q);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The DNS header and the question (RFC 1035 section 4.1). Writes q->question. */
#pragma once

#include "../query.h"

/* Of the first 8 bytes QR, opcode, TC, RCODE and two counts are compared; ID, AA, RD, RA, Z, AD and CD are ignored. */
#define NC_PLAIN_MASK  0xffffffff0ffa0000ULL
#define NC_PLAIN_QUERY 0x0000010000000000ULL
#define NC_MAX_LABELS  (NC_NAME_BYTES / 2)

/* A plain query: QR 0, opcode QUERY, one question, at most one additional record. */
static __always_inline int parse_header(const struct query *q)
{
	if ((load_u64(q->message) & NC_PLAIN_MASK) != NC_PLAIN_QUERY)
		return NC_PASS_HEADER;
	if (load_u32(&q->message[8]) & ~bpf_htonl(1)) /* authority records, or several additional ones */
		return NC_PASS_HEADER;
	return NC_CONTINUE;
}

/* Records the labels of the name. Returns its length, or 0 if it is compressed, too long, or not within the message. */
static __always_inline __u32 measure_name(struct query *q)
{
	__u32 offset = NC_HEADER_BYTES;

	/* A masked offset, because a moving pointer multiplies the states that the verifier tracks. */
#pragma clang loop unroll(disable)
	for (int i = 0; i <= NC_MAX_LABELS; i++) {
		__u32 label = q->message[offset & NC_MESSAGE_MASK];

		q->question.label[i & NC_LABEL_MASK] = offset - NC_HEADER_BYTES;
		offset += 1 + label;
		if (!label) {
			q->question.labels = i;
			return offset > q->frame.message_length ? 0 : offset - NC_HEADER_BYTES;
		}
		if (label > 63 || offset >= NC_HEADER_BYTES + NC_NAME_BYTES)
			return 0;
	}
	return 0;
}

/* Parses the question. The name itself is read by read_name, once it is needed. */
static __always_inline int parse_question(struct query *q)
{
	__u32 length = measure_name(q), end, type_class;

	if (!length || length > NC_NAME_BYTES)
		return NC_PASS_QUESTION;
	end = NC_HEADER_BYTES + length + 4;
	if (end > q->frame.message_length)
		return NC_PASS_QUESTION;
	q->question.name_length = length;
	q->question.end = end;
	type_class = load_u32(&q->message[(end - 4) & NC_MESSAGE_MASK]);
	q->question.type = bpf_ntohs((__u16)type_class);
	if (type_class >> 16 != bpf_htons(NC_IN))
		return NC_PASS_QUESTION;
	if (q->question.type == NC_TYPE_OPT ||
	    (q->question.type >= NC_TYPE_FIRST_META && q->question.type <= NC_TYPE_LAST_META))
		return NC_PASS_QUESTION;
	q->question.sum = (__u64)type_class << 8 * (length & 1);
	return NC_CONTINUE;
}

static __always_inline int asks_addresses(const struct query *q)
{
	return q->question.type == NC_TYPE_A || q->question.type == NC_TYPE_AAAA;
}

/*
 * Writes the name in lower case, and completes the sum of the question as received. Returns the hash of the name under
 * `secret`. parse_question began the sum with type and class: behind a name of odd length, each of their bytes is in
 * the other half of its 16-bit word.
 */
static __always_inline __u64 read_name(struct query *q, __u64 secret)
{
	__u64 hash = secret, sum = q->question.sum;
	__u32 length = q->question.name_length;

	barrier_var(length);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_NAME_WORDS; i++) {
		__u64 word;
		__s32 left = (__s32)length - 8 * (__s32)i;

		if (left <= 0)
			break;
		word = load_u64(&q->message[NC_HEADER_BYTES + 8 * i]);
		if (left < 8)
			word &= ~0ULL >> (64 - 8 * left);
		sum += (word & 0xffffffff) + (word >> 32);
		word = nc_lower_word(word);
		q->question.name[i] = word;
		hash = nc_hash_step(hash, word);
	}
	q->question.sum = sum;
	return nc_mix(hash);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Copies a pre-rendered answer from its cells into the reply, and adapts it to the question. */
#pragma once

#include "../maps.h"

/* Writes the header of the reply as the answer says. */
static __always_inline void begin_answer(struct query *q, const struct nc_answer *answer, __u32 origin)
{
	q->reply.flags = NC_FLAG_QR | (answer->flags & NC_ANSWER_AUTHORITATIVE) << 2; /* AA */
	q->reply.code = answer->code;
	q->reply.answers = answer->answers;
	q->reply.authorities = answer->authorities;
	q->reply.additionals = answer->additionals;
	q->reply.extended_code = 0;
	q->reply.response_class = answer->response_class;
	q->reply.origin = origin;
	q->reply.has_error = answer->flags & NC_ANSWER_EXPLAINED;
	q->reply.error = answer->error_or_overlay;
	q->reply.least = answer->least;
}

/* Adds the length of the question's name to the compression pointers that depend on it. */
static __always_inline void move_pointers(struct query *q, const struct nc_answer_pointers *pointers, __u32 count)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_ANSWER_POINTERS; i++) {
		__u8 *at;

		if (i >= count)
			break;
		at = &q->reply.tail[pointers->at[i] & NC_TAIL_MASK];
		*(__u16 *)at = bpf_htons(bpf_ntohs(load_u16(at)) + q->question.name_length);
	}
}

/* Copies the body of the answer into the tail. */
static __always_inline int copy_answer(struct query *q, void *table, const struct nc_answer *answer, __u32 index)
{
	const struct nc_answer_pointers *pointers = 0;
	__u32 length = answer->length, at = NC_ANSWER_FIRST_BYTES;

	for (__u32 i = 0; i < NC_ANSWER_FIRST_BYTES / 8; i++)
		*(__u64 *)&q->reply.tail[8 * i] = answer->body[i];
	if (answer->pointers) {
		pointers = nc_cell(table, ++index);
		if (!pointers)
			return NC_PASS_TABLE;
	}
#pragma clang loop unroll(disable)
	for (__u32 cell = 0; cell < NC_ANSWER_MORE_CELLS; cell++) {
		const struct nc_answer_more *more;

		if (at >= length)
			break;
		more = nc_cell(table, ++index);
		if (!more)
			return NC_PASS_TABLE;
		for (__u32 i = 0; i < NC_CELL_BYTES / 8; i++)
			*(__u64 *)&q->reply.tail[(at + 8 * i) & NC_TAIL_MASK] = more->body[i];
		at += NC_CELL_BYTES;
	}
	if (pointers)
		move_pointers(q, pointers, answer->pointers);
	return NC_CONTINUE;
}

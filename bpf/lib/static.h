/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Answers that are the same for every client: found by type, copied, and fitted to the question. */
#pragma once

#include "../maps.h"
#include "count.h"
#include "encloser.h"

/* The cell of the answer to the query's type in a directory, 0 for user space. */
static __always_inline __u32 find_answer(void *table, const struct query *q, __u32 directory_index)
{
	const struct nc_directory *directory = nc_cell(table, directory_index);

	if (!directory_index || !directory || !q->type)
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_DIRECTORY_TYPES; i++) {
		if (directory->type[i] == q->type)
			return directory->answer[i];
	}
	return directory->other;
}

/* Moves the pointers that lead into the question's name, or behind it, by its length. */
static __always_inline void move_pointers(struct query *q, const struct nc_answer_pointers *pointers, __u32 count)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_ANSWER_POINTERS; i++) {
		__u8 *at;

		if (i >= count)
			break;
		at = &q->tail[pointers->at[i] & NC_TAIL_MASK];
		*(__u16 *)at = bpf_htons(bpf_ntohs(load_u16(at)) + q->name_length);
	}
}

/* Copies the answer's body into the reply's tail. */
static __always_inline int copy_answer(struct query *q, void *table, const struct nc_answer *answer, __u32 index)
{
	const struct nc_answer_pointers *pointers = 0;
	__u32 length = answer->length, at = NC_ANSWER_FIRST_BYTES;

	for (__u32 i = 0; i < NC_ANSWER_FIRST_BYTES / 8; i++)
		*(__u64 *)&q->tail[8 * i] = answer->body[i];
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
			*(__u64 *)&q->tail[(at + 8 * i) & NC_TAIL_MASK] = more->body[i];
		at += NC_CELL_BYTES;
	}
	if (pointers)
		move_pointers(q, pointers, answer->pointers);
	return NC_CONTINUE;
}

/*
 * Composes the reply to a query for the name of `entry`, or for one that is not in the table; `length` is that of what
 * stands behind the question.
 */
static __always_inline int answer_static(struct query *q, __u32 slot, const struct nc_name_entry *entry, __u32 *length)
{
	void *table = bpf_map_lookup_elem(&answers, &slot);
	const struct nc_answer *answer;
	__u32 index;

	if (!table)
		return NC_PASS_TABLE;
	if (!entry)
		index = find_answer(table, q, answers_below_encloser(q, slot));
	else if (entry->type == q->type && q->type)
		index = entry->own + 1; /* as in most names: one line less to wait for */
	else
		index = find_answer(table, q, entry->own);
	if (!index)
		return NC_PASS_NAME;
	answer = nc_cell(table, index);
	if (answer && answer->error_or_overlay && !(answer->flags & NC_ANSWER_EXPLAINED)) {
		index = overlaid_cell(slot, q->half, answer->error_or_overlay);
		answer = nc_cell(table, index);
	}
	if (!answer)
		return NC_PASS_TABLE;
	if ((answer->flags & NC_ANSWER_UNSIGNED) && q->dnssec_ok)
		return NC_PASS_SIGNED;
	q->flags = NC_FLAG_QR | (answer->flags & NC_ANSWER_AUTHORITATIVE) << 2; /* AA */
	q->code = answer->code;
	q->answers = answer->answers;
	q->authorities = answer->authorities;
	q->additionals = answer->additionals;
	q->subnet_scope = 0;
	q->response_class = answer->response_class;
	q->is_static = 1;
	q->explains = answer->flags & NC_ANSWER_EXPLAINED;
	q->error = answer->error_or_overlay;
	q->least = answer->least;
	*length = answer->length;
	if (answer->length > NC_ANSWER_BYTES) /* to be cut, or declined */
		return NC_CONTINUE;
	return copy_answer(q, table, answer, index);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Answers that are the same for every client: found by type, copied, and adapted to the question. */
#pragma once

#include "../maps.h"
#include "count.h"
#include "encloser.h"
#include "template.h"

/* The cell of the answer to the query's type in a directory, or 0 if user space answers. */
static __always_inline __u32 find_answer(void *table, const struct query *q, __u32 directory_index)
{
	const struct nc_directory *directory = nc_cell(table, directory_index);

	if (!directory_index || !directory || !q->question.type)
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_DIRECTORY_TYPES; i++) {
		if (directory->type[i] == q->question.type)
			return directory->answer[i];
	}
	return directory->other;
}

/*
 * Composes the reply for the name of `entry`, or for a name that is not in the table if that is 0. `length` is the size
 * of what follows the question.
 */
static __always_inline int answer_static(struct xdp_md *ctx, struct query *q, __u32 slot,
					 const struct nc_name_entry *entry, __u32 *length)
{
	void *table = bpf_map_lookup_elem(&answers, &slot);
	const struct nc_answer *answer;
	__u32 index;

	if (!table)
		return NC_PASS_TABLE;
	if (!entry)
		index = find_answer(table, q, answers_below_encloser(q, slot));
	else if (entry->type == q->question.type && q->question.type)
		index = entry->own + 1; /* true for most names, and saves reading the directory */
	else
		index = find_answer(table, q, entry->own);
	if (!index)
		return NC_PASS_NAME;
	answer = nc_cell(table, index);
	if (answer && answer->error_or_overlay && !(answer->flags & NC_ANSWER_EXPLAINED)) {
		index = current_cell(slot, q->overlay_buffer, answer->error_or_overlay);
		answer = nc_cell(table, index);
	}
	if (!answer)
		return NC_PASS_TABLE;
	if (answer->flags & (NC_ANSWER_UNSIGNED | NC_ANSWER_MADE)) {
		if (answer->flags & NC_ANSWER_MADE) {
			q->decision.slot = slot;
			q->decision.recipe = index;
			bpf_tail_call(ctx, &programs, PROGRAM_RECORDS);
			return NC_PASS_NAME; /* the call failed: there is no second program */
		}
		if (q->edns.dnssec_ok)
			return NC_PASS_SIGNED;
	}
	begin_answer(q, answer, NC_FROM_ZONES);
	q->decision.scope = 0;
	*length = answer->length;
	if (answer->length > NC_ANSWER_BYTES) /* truncated or passed to user space, by settle */
		return NC_CONTINUE;
	return copy_answer(q, table, answer, index);
}

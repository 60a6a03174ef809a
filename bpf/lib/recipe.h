/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The steps of a recipe. */
#pragma once

#include "../maps.h"
#include "lookup.h"
#include "reply.h"
#include "sender.h"
#include "stale.h"
#include "step.h"
#include "template.h"

/* The recipe in cell `index`, or 0. */
static __always_inline const struct nc_recipe *find_recipe(void *table, __u32 index)
{
	const struct nc_answer *answer = nc_cell(table, index);

	return answer && (answer->flags & NC_ANSWER_MADE) ? (const struct nc_recipe *)answer->body : 0;
}

/* Chooses nodes of a family (0 or 1) for the client by the recipe in cell
 * `index` of the answers. */
NC_STEP int choose_by_recipe(__u32 slot, __u32 index, __u32 family)
{
	const struct nc_recipe *recipe;
	struct query *q;
	void *table;
	int verdict;

	table = begin_step(&answers, &slot, &q);
	if (!table)
		return NC_PASS_TABLE;
	recipe = find_recipe(table, index);
	if (!recipe)
		return NC_PASS_TABLE;
	verdict = choose(slot, q, &recipe->rule, &recipe->by[family & 1]);
	if (verdict == NC_CONTINUE)
		q->decision.chosen.ttl = fresh_ttl(q->decision.chosen.ttl);
	return verdict;
}

/* Fills in the TTL of the record at `at`. */
static __always_inline void date_record(struct query *q, __u32 at)
{
	*(__be32 *)&q->reply.tail[(at + NC_RECORD_TTL_AT) & NC_TAIL_MASK] = bpf_htonl(q->decision.chosen.ttl);
}

/* The tail is zero up to the next word. */
static __always_inline void end_tail(struct query *q)
{
	store_u64(&q->reply.tail[q->reply.tail_length & NC_TAIL_MASK], 0);
}

/* Makes the reply the answer in cell `index`, with the TTL decided in its first
 * record. */
NC_STEP int copy_chosen(__u32 slot, __u32 index)
{
	const struct nc_answer *answer;
	struct query *q;
	void *table;
	int verdict;

	table = begin_step(&answers, &slot, &q);
	if (!table)
		return NC_PASS_TABLE;
	answer = nc_cell(table, index);
	if (!answer)
		return NC_PASS_TABLE;
	if ((answer->flags & NC_ANSWER_UNSIGNED) && q->edns.dnssec_ok)
		return NC_PASS_SIGNED;
	begin_answer(q, answer, NC_FROM_RECIPE);
	q->reply.tail_length = answer->length;
	if (answer->length > NC_ANSWER_BYTES) /* to be cut, or declined */
		return NC_CONTINUE;
	verdict = copy_answer(q, table, answer, index);
	date_record(q, 0);
	return verdict;
}

/* The alias of the node chosen, and what the zones say of where it leads. */
static __always_inline int make_alias(__u32 slot, void *table, const struct query *q, const struct nc_recipe *recipe)
{
	__u32 node = q->decision.chosen.slot[0], cell = node / NC_PARTS_PER_CELL - recipe->first, index;
	const struct nc_part_cell *parts;

	if (cell >= recipe->count)
		return NC_PASS_NAME;
	parts = nc_cell(table, recipe->parts + cell);
	if (!parts)
		return NC_PASS_TABLE;
	index = parts->answer[node % NC_PARTS_PER_CELL];
	return index ? copy_chosen(slot, index) : NC_PASS_NAME;
}

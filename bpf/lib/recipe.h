/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What recipes have in common, and the recipe by node: CNAME, TXT and MX. */
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

/* Chooses nodes for the client by the recipe in cell `index` of the answers; `family` is 0 for IPv4, 1 for IPv6. */
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

/* Writes the TTL decided into the record at `at`. */
static __always_inline void set_ttl(struct query *q, __u32 at)
{
	*(__be32 *)&q->reply.tail[(at + NC_RECORD_TTL_AT) & NC_TAIL_MASK] = bpf_htonl(q->decision.chosen.ttl);
}

/* Writes the TTL decided into the records of the first RRset, which ends at `end`; always into the first one. */
static __always_inline void set_ttls(struct query *q, __u32 end)
{
	__u32 at = 0;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_SET_RECORDS; i++) {
		set_ttl(q, at);
		at += NC_RECORD_BYTES + bpf_ntohs(load_u16(&q->reply.tail[(at + NC_RECORD_LENGTH_AT) & NC_TAIL_MASK]));
		if (at >= end)
			break;
	}
}

/* Zeroes the tail up to the next word boundary. */
static __always_inline void pad_tail(struct query *q)
{
	store_u64(&q->reply.tail[q->reply.tail_length & NC_TAIL_MASK], 0);
}

/* Copies the answer in cell `index` into the reply, with the TTL decided in its first RRset. */
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
	if (answer->length > NC_ANSWER_BYTES) /* truncated or passed to user space, by settle */
		return NC_CONTINUE;
	verdict = copy_answer(q, table, answer, index);
	set_ttls(q, q->reply.least);
	return verdict;
}

/* Composes the records of the node chosen, with what the zones have about their targets. */
static __always_inline int make_by_node(__u32 slot, void *table, struct query *q, const struct nc_recipe *recipe)
{
	__u32 node = q->decision.chosen.slot[0], cell = node / NC_PARTS_PER_CELL - recipe->first, index;
	const struct nc_part_cell *parts;
	int verdict;

	if (cell >= recipe->count)
		return NC_PASS_NAME;
	parts = nc_cell(table, recipe->parts + cell);
	if (!parts)
		return NC_PASS_TABLE;
	index = parts->answer[node % NC_PARTS_PER_CELL];
	if (!index)
		return NC_PASS_NAME;
	verdict = copy_chosen(slot, index);
	q->reply.node = node;
	return verdict;
}

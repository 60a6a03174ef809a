/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* SRV answers: the records of all usable nodes, the same for every client, and the addresses of their targets. */
#pragma once

#include "recipe.h"

static __always_inline const struct nc_member *find_member(void *table, const struct nc_recipe *recipe, __u32 i)
{
	return nc_cell(table, recipe->parts + NC_MEMBER_CELLS * i);
}

/*
 * Selects the nodes whose records are sent: the usable ones; if there are none, those of unknown state; if there are
 * none either, all nodes, unless the policy leaves that case to user space. Writes the mask `usable`, the outcome and
 * the TTL of decision.chosen.
 */
static __always_inline int choose_members(struct query *q, void *table, const struct nc_recipe *recipe)
{
	__u32 ttl = NC_TTL_STABLE, all = 0;

	q->decision.chosen.usable = 0;
	q->decision.chosen.unknown = 0;
	q->decision.chosen.outcome = NC_CHOSEN;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_MEMBERS; i++) {
		const struct nc_member *member;
		__u32 state;
		__u64 word;

		if (i >= recipe->count)
			break;
		member = find_member(table, recipe, i);
		if (!member)
			return NC_PASS_TABLE;
		word = nc_read_word(&words, NC_WORDS_ANY, member->slot);
		state = nc_word_state(word);
		if (nc_word_ttl(word) < ttl)
			ttl = nc_word_ttl(word);
		all |= 1U << i;
		if (state == NC_NODE_UP || state == NC_NODE_DEGRADED)
			q->decision.chosen.usable |= 1U << i;
		else if (state == NC_NODE_UNKNOWN)
			q->decision.chosen.unknown |= 1U << i;
	}
	if (!q->decision.chosen.usable)
		q->decision.chosen.usable = q->decision.chosen.unknown;
	if (!q->decision.chosen.usable) {
		if (recipe->rule.all_down != NC_ALL_DOWN_OPEN)
			return NC_PASS_EXHAUSTED;
		q->decision.chosen.usable = all;
		q->decision.chosen.outcome = NC_CHOSEN_ALL_DOWN;
		ttl = 0;
	}
	q->decision.chosen.ttl = fresh_ttl(nc_rule_ttl(&recipe->rule, ttl));
	return NC_CONTINUE;
}

/* Copies `length` bytes to offset `at` of the tail: the words at `first`, and the rest from cell `index`. */
static __always_inline int copy_part(struct query *q, void *table, __u32 at, __u32 length, const __u64 *first,
				     __u32 words, __u32 index)
{
	const struct nc_answer_more *more;

	for (__u32 word = 0; word < words; word++)
		store_u64(&q->reply.tail[(at + 8 * word) & NC_TAIL_MASK], first[word]);
	if (length <= 8 * words)
		return NC_CONTINUE;
	more = nc_cell(table, index);
	if (!more)
		return NC_PASS_TABLE;
	at += 8 * words;
	for (__u32 word = 0; word < NC_CELL_BYTES / 8; word++)
		store_u64(&q->reply.tail[(at + 8 * word) & NC_TAIL_MASK], more->body[word]);
	return NC_CONTINUE;
}

/* Appends the SRV record of node `i`. */
static __always_inline int copy_member(struct query *q, void *table, const struct nc_recipe *recipe, __u32 i)
{
	const struct nc_member *member = find_member(table, recipe, i);
	__u32 at = q->reply.tail_length, length;

	if (!member)
		return NC_PASS_TABLE;
	length = member->length;
	q->reply.tail_length = at + length;
	q->decision.chosen.count++;
	/* A reply that is too long is not sent, only measured. */
	if (q->reply.tail_length > NC_ANSWER_BYTES)
		return NC_CONTINUE;
	if (copy_part(q, table, at, length, member->record, NC_MEMBER_FIRST_WORDS,
		      recipe->parts + NC_MEMBER_CELLS * i + 1) != NC_CONTINUE)
		return NC_PASS_TABLE;
	set_ttl(q, at);
	return NC_CONTINUE;
}

/* Appends the address records of its target. */
static __always_inline int copy_additional(struct query *q, void *table, const struct nc_recipe *recipe, __u32 i)
{
	__u32 cell = recipe->parts + NC_MEMBER_CELLS * i + NC_BESIDE_AT, at = q->reply.tail_length, length;
	const struct nc_beside *beside = nc_cell(table, cell);

	if (!beside)
		return NC_PASS_TABLE;
	length = beside->length;
	q->reply.tail_length = at + length;
	q->decision.additionals += beside->records;
	if (!length || q->reply.tail_length > NC_ANSWER_BYTES)
		return NC_CONTINUE;
	if (copy_part(q, table, at, length, beside->body, NC_BESIDE_FIRST_WORDS, cell + 1) != NC_CONTINUE)
		return NC_PASS_TABLE;
#pragma clang loop unroll(disable)
	for (__u32 pointer = 0; pointer < NC_BESIDE_POINTERS; pointer++) {
		__u32 place, base;
		__u8 *to;

		if (pointer >= beside->pointers)
			break;
		place = beside->at[pointer];
		base = q->question.name_length + (place & NC_BESIDE_TO_QUESTION ? 0 : at);
		to = &q->reply.tail[(at + (place & ~NC_BESIDE_TO_QUESTION)) & NC_TAIL_MASK];
		*(__u16 *)to = bpf_htons(bpf_ntohs(load_u16(to)) + base);
	}
	return NC_CONTINUE;
}

/* Composes the reply to a query for SRV by its recipe. */
NC_STEP int make_srv(__u32 slot)
{
	const struct nc_recipe *recipe;
	struct query *q;
	void *table;
	int verdict;

	table = begin_step(&answers, &slot, &q);
	if (!table)
		return NC_PASS_TABLE;
	recipe = find_recipe(table, q->decision.recipe);
	if (!recipe)
		return NC_PASS_TABLE;
	if ((verdict = choose_members(q, table, recipe)) != NC_CONTINUE)
		return verdict;
	q->decision.chosen.count = 0;
	q->reply.tail_length = 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_MEMBERS; i++) {
		if (!(q->decision.chosen.usable >> i & 1))
			continue;
		if ((verdict = copy_member(q, table, recipe, i)) != NC_CONTINUE)
			return verdict;
	}
	q->reply.least = q->reply.tail_length;
	q->decision.additionals = 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_MEMBERS; i++) {
		if (!(q->decision.chosen.usable >> i & 1))
			continue;
		if ((verdict = copy_additional(q, table, recipe, i)) != NC_CONTINUE)
			return verdict;
	}
	pad_tail(q);
	begin_reply(q, NC_FROM_RECIPE, q->decision.chosen.count, q->decision.additionals);
	q->decision.scope = 0;
	return NC_CONTINUE;
}

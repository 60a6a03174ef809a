/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* HTTPS and SVCB answers: one record with address hints (RFC 9460 section 7.3), and the addresses themselves. */
#pragma once

#include "answer.h"
#include "recipe.h"

#define NC_HINT_HEAD_BYTES 4 /* SvcParamKey and length */

static __always_inline __u32 address_bytes(__u32 family)
{
	return family ? NC_V6_BYTES : NC_V4_BYTES;
}

/* Chooses nodes of each family. Writes decision.hint, and the outcome and TTL of decision.chosen. */
static __always_inline int choose_hints(__u32 slot, struct query *q, const struct nc_recipe *recipe)
{
	__u32 outcome = NC_CHOSEN;
	int verdict;

#pragma clang loop unroll(disable)
	for (__u32 family = 0; family < 2; family++) {
		q->decision.hint[family].count = 0;
		if (recipe->by[family].table == NC_NO_TABLE)
			continue;
		if ((verdict = choose_by_recipe(slot, q->decision.recipe, family)) != NC_CONTINUE)
			return verdict;
		for (__u32 i = 0; i < NC_MAX_ANSWERS; i++)
			q->decision.hint[family].slot[i] = q->decision.chosen.slot[i];
		q->decision.hint[family].count = q->decision.chosen.count;
		q->decision.hint[family].ttl = q->decision.chosen.ttl;
		if (q->decision.chosen.outcome != NC_CHOSEN)
			outcome = q->decision.chosen.outcome;
	}
	q->decision.chosen.outcome = outcome;
	q->decision.chosen.ttl = !q->decision.hint[1].count			     ? q->decision.hint[0].ttl
				 : !q->decision.hint[0].count			     ? q->decision.hint[1].ttl
				 : q->decision.hint[0].ttl < q->decision.hint[1].ttl ? q->decision.hint[0].ttl
										     : q->decision.hint[1].ttl;
	return NC_CONTINUE;
}

/* Appends the hint of a family to the record. */
static __always_inline int write_hint(struct query *q, void *nodes, __u32 family)
{
	__u32 at = q->reply.tail_length, count = q->decision.hint[family].count, size = address_bytes(family);
	__u16 key = family ? NC_PARAMETER_IPV6HINT : NC_PARAMETER_IPV4HINT;

	if (!count)
		return NC_CONTINUE;
	*(__u32 *)&q->reply.tail[at & NC_TAIL_MASK] = bpf_htons(key) | (__u32)bpf_htons(count * size) << 16;
	at += NC_HINT_HEAD_BYTES;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_ANSWERS; i++) {
		const struct nc_node *node;

		if (i >= count)
			break;
		node = nc_cell(nodes, q->decision.hint[family].slot[i]);
		if (!node)
			return NC_PASS_TABLE;
		if (family) {
			store_u64(&q->reply.tail[at & NC_TAIL_MASK], load_u64(node->v6));
			store_u64(&q->reply.tail[(at + 8) & NC_TAIL_MASK], load_u64(node->v6 + 8));
		} else {
			*(__u32 *)&q->reply.tail[at & NC_TAIL_MASK] = load_u32(node->v4);
		}
		at += size;
	}
	q->reply.tail_length = at;
	return NC_CONTINUE;
}

/* Appends the address records of a family, the same as a query for them would get. */
static __always_inline int write_additional(struct query *q, void *nodes, __u32 family)
{
	__u32 at = q->reply.tail_length, size = NC_RECORD_BYTES + address_bytes(family);
	__be32 ttl = bpf_htonl(q->decision.hint[family].ttl);

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_ANSWERS; i++) {
		const struct nc_node *node;

		if (i >= q->decision.hint[family].count)
			break;
		node = nc_cell(nodes, q->decision.hint[family].slot[i]);
		if (!node)
			return NC_PASS_TABLE;
		write_address(&q->reply.tail[at & NC_TAIL_MASK], node, family ? NC_TYPE_AAAA : NC_TYPE_A, ttl);
		at += size;
	}
	q->reply.tail_length = at;
	return NC_CONTINUE;
}

/* Composes the reply to a query for HTTPS or SVCB by its recipe. */
NC_STEP int make_svcb(__u32 slot)
{
	__u32 least, length, additionals = 0;
	const struct nc_recipe *recipe;
	void *table, *nodes_table;
	struct query *q;
	int verdict;

	table = begin_step(&answers, &slot, &q);
	if (!table)
		return NC_PASS_TABLE;
	nodes_table = bpf_map_lookup_elem(&nodes, &slot);
	if (!nodes_table)
		return NC_PASS_TABLE;
	recipe = find_recipe(table, q->decision.recipe);
	if (!recipe)
		return NC_PASS_TABLE;
	if ((verdict = choose_hints(slot, q, recipe)) != NC_CONTINUE)
		return verdict;
	if ((verdict = copy_chosen(slot, recipe->parts)) != NC_CONTINUE)
		return verdict;
	length = least = q->reply.tail_length;
#pragma clang loop unroll(disable)
	for (__u32 family = 0; family < 2; family++) {
		__u32 count = q->decision.hint[family].count, size = address_bytes(family);

		if (count)
			least += NC_HINT_HEAD_BYTES + count * size;
		if (recipe->flags & NC_RECIPE_ADDRESSES_V4 << family) {
			additionals += count;
			length += count * (NC_RECORD_BYTES + size);
		}
	}
	length += least - q->reply.tail_length;
	begin_reply(q, NC_FROM_RECIPE, 1, additionals);
	q->reply.node = q->decision.hint[q->decision.hint[0].count ? 0 : 1].slot[0];
	q->reply.least = least;
	if (length > NC_ANSWER_BYTES) { /* truncated or passed to user space, by settle */
		q->reply.tail_length = length;
		return NC_CONTINUE;
	}
#pragma clang loop unroll(disable)
	for (__u32 family = 0; family < 2; family++) {
		if ((verdict = write_hint(q, nodes_table, family)) != NC_CONTINUE)
			return verdict;
	}
	*(__be16 *)&q->reply.tail[NC_RECORD_LENGTH_AT] = bpf_htons(least - NC_RECORD_BYTES);
#pragma clang loop unroll(disable)
	for (__u32 family = 0; family < 2; family++) {
		if (!(recipe->flags & NC_RECIPE_ADDRESSES_V4 << family))
			continue;
		if ((verdict = write_additional(q, nodes_table, family)) != NC_CONTINUE)
			return verdict;
	}
	pad_tail(q);
	return NC_CONTINUE;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The second program, to which the first one makes a tail call for tailored records other than addresses (CNAME, TXT,
 * MX, SRV, HTTPS and SVCB) and for addresses of names that a wildcard covers. It composes them by a recipe
 * (abi/recipes.h). It finds the parsed query in `scratch`; the frame is still unmodified.
 */
#pragma once

#include "answer.h"
#include "svcb.h"
#include "recipe.h"
#include "send.h"
#include "srv.h"

/* Composes the addresses of a name that a wildcard covers: it has no entry, so no profile decides them. */
static __always_inline int make_addresses(struct query *q, __u32 slot, const struct nc_recipe *recipe)
{
	__u32 family = q->question.type == NC_TYPE_A ? 0 : 1;
	int verdict;

	if (recipe->by[family].table == NC_NO_TABLE)
		return NC_PASS_NAME;
	if ((verdict = choose_by_recipe(slot, q->decision.recipe, family)) != NC_CONTINUE)
		return verdict;
	q->reply.tail_length = write_addresses(q, slot);
	return q->reply.tail_length ? NC_CONTINUE : NC_PASS_TABLE;
}

/* Composes the records of the reply by the recipe. */
static __always_inline int answer_by_recipe(struct query *q, __u32 slot)
{
	const struct nc_generation *generation = bpf_map_lookup_elem(&generations, &slot);
	void *table = bpf_map_lookup_elem(&answers, &slot), *places = bpf_map_lookup_elem(&locations, &slot);
	const struct nc_recipe *recipe;
	struct nc_address address;
	int verdict, by_subnet;

	if (!generation || !table || !places)
		return NC_PASS_TABLE;
	recipe = find_recipe(table, q->decision.recipe);
	if (!recipe)
		return NC_PASS_TABLE;
	if ((recipe->flags & NC_RECIPE_BY_VIEW) &&
	    sent_from(generation->view_prefix, generation->view_prefixes, NC_MAX_VIEW_PREFIXES, q))
		return NC_PASS_VIEW;
	if (recipe->kind == NC_RECIPE_SERVICES)
		return make_srv(slot);
	by_subnet = q->edns.has_subnet && q->edns.subnet_source && recipe->rule.ecs;
	address = deciding_address(q, by_subnet);
	place_client(q, by_subnet, address, nc_location_find(places, address));
	if (recipe->kind == NC_RECIPE_BINDING)
		return make_svcb(slot);
	if (recipe->kind == NC_RECIPE_ADDRESSES)
		return make_addresses(q, slot, recipe);
	if ((verdict = choose_by_recipe(slot, q->decision.recipe, 0)) != NC_CONTINUE)
		return verdict;
	return make_by_node(slot, table, q, recipe);
}

SEC("xdp")
int nearcast_records(struct xdp_md *ctx)
{
	__u32 zero = 0, slot;
	struct query *q = bpf_map_lookup_elem(&scratch, &zero);
	int verdict;

	if (!q)
		return XDP_PASS;
	slot = q->decision.slot & (NC_GENERATIONS - 1);
	verdict = answer_by_recipe(q, slot);
	if (verdict == NC_CONTINUE) {
		q->reply.verdict = NC_ANSWERED;
		verdict = send(ctx, q, slot);
		if (verdict == NC_ANSWERED && q->reply.origin == NC_FROM_RECIPE)
			count(NC_RECORDS);
	}
	return end(slot, verdict);
}

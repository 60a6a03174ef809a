// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Nearcast's fast path: answers hot DNS queries in the network driver.
 *
 * The program decides nothing: it reads tables that user space computed, and either transmits exactly the
 * message the resolver would give, or passes the packet up untouched.
 */
#include "maps.h"
#include "lib/answer.h"
#include "lib/count.h"
#include "lib/edns.h"
#include "lib/frame.h"
#include "lib/lookup.h"
#include "lib/question.h"
#include "lib/stale.h"
#include "lib/transmit.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* The pipeline; returns the verdict. Nothing is written to the frame before the reply is complete. */
static __always_inline int answer(struct xdp_md *ctx, struct query *q, __u32 slot,
				  const struct nc_generation *generation)
{
	const struct nc_name_steering *steering;
	const struct nc_name_entry *entry = 0;
	const struct nc_profile *profile = 0;
	__u32 length;
	int verdict;

	if ((verdict = parse_frame(ctx, q, generation)) != NC_CONTINUE)
		return verdict;
	if ((verdict = parse_header(q)) != NC_CONTINUE)
		return verdict;
	if ((verdict = parse_question(q)) != NC_CONTINUE)
		return verdict;
	if ((verdict = parse_edns(q)) != NC_CONTINUE)
		return verdict;
	if ((verdict = find_name_and_place(slot, q, generation, &entry, &profile)) != NC_CONTINUE)
		return verdict;
	if ((entry->flags & NC_NAME_BY_VIEW) && in_view(generation, q))
		return NC_PASS_VIEW;
	steering = q->type == 1 ? &profile->v4 : &profile->v6;
	if (steering->table == NC_NO_TABLE)
		return NC_PASS_TYPE;
	if ((verdict = choose(slot, q, &profile->rule, steering)) != NC_CONTINUE)
		return verdict;
	q->chosen.ttl = fresh_ttl(q->chosen.ttl);
	length = write_tail(q, slot);
	if (!length)
		return NC_PASS_TABLE;
	if (q->chosen.outcome == NC_CHOSEN_ALL_DOWN)
		count(NC_ALL_DOWN);
	return transmit(ctx, q, length);
}

SEC("xdp")
int nearcast(struct xdp_md *ctx)
{
	__u32 slot = NC_READ_ONCE(control.generation) & (NC_GENERATIONS - 1), zero = 0;
	struct nc_generation *generation = bpf_map_lookup_elem(&generations, &slot);
	struct query *q = bpf_map_lookup_elem(&scratch, &zero);
	int verdict;

	if (!generation || !q)
		return XDP_PASS;
	if (!NC_READ_ONCE(control.answering))
		verdict = NC_PASS_OFF;
	else
		verdict = answer(ctx, q, slot, generation);
	count(verdict);
	return verdict == NC_ANSWERED ? XDP_TX : XDP_PASS;
}

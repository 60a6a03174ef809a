// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Nearcast's fast path: answers DNS queries in the network driver.
 *
 * User space makes every decision in advance and writes it into tables. The program reads them, and either transmits
 * exactly the message that the resolver would give, or passes the frame to user space unchanged.
 */
#include "maps.h"
#include "lib/answer.h"
#include "lib/edns.h"
#include "lib/frame.h"
#include "lib/lookup.h"
#include "lib/question.h"
#include "lib/records.h"
#include "lib/send.h"
#include "lib/stale.h"
#include "lib/static.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/*
 * Chooses addresses for the client at a tailored name; `length` is the size of their records. find_name_and_place
 * looked up the place before the policy was known, by the client subnet if there was one. A policy with `ecs: false`
 * wants the sender's place, so that is looked up here.
 */
static __always_inline int answer_tailored(struct query *q, __u32 slot, const struct nc_profile *profile,
					   const struct nc_name_steering *steering, __u32 *length)
{
	int verdict;

	if (q->edns.has_subnet && q->edns.subnet_source && !profile->rule.ecs) {
		void *table = bpf_map_lookup_elem(&locations, &slot);

		if (!table)
			return NC_PASS_TABLE;
		place_client(q, 0, sender(q), nc_location_find(table, sender(q)));
	}
	if ((verdict = choose(slot, q, &profile->rule, steering)) != NC_CONTINUE)
		return verdict;
	q->decision.chosen.ttl = fresh_ttl(q->decision.chosen.ttl);
	*length = write_addresses(q, slot);
	if (!*length)
		return NC_PASS_TABLE;
	return NC_CONTINUE;
}

/* Composes the records of the reply; `length` is their size. */
static __always_inline int answer_name(struct xdp_md *ctx, struct query *q, __u32 slot,
				       const struct nc_generation *generation, const struct nc_name_entry *entry,
				       __u32 *length)
{
	const struct nc_name_steering *steering;
	const struct nc_profile *profile;
	void *table;

	if (entry && entry->profile != NC_NO_PROFILE && asks_addresses(q)) {
		if ((entry->flags & NC_NAME_BY_VIEW) &&
		    sent_from(generation->view_prefix, generation->view_prefixes, NC_MAX_VIEW_PREFIXES, q))
			return NC_PASS_VIEW;
		table = bpf_map_lookup_elem(&profiles, &slot);
		profile = table ? nc_cell(table, entry->profile) : 0;
		if (!profile)
			return NC_PASS_TABLE;
		steering = find_steering(q, profile);
		if (steering)
			return answer_tailored(q, slot, profile, steering, length);
	}
	return answer_static(ctx, q, slot, entry, length);
}

/* The pipeline; returns the verdict. The frame is not modified before the reply is complete. */
static __always_inline int answer(struct xdp_md *ctx, struct query *q, __u32 slot,
				  const struct nc_generation *generation)
{
	const struct nc_name_entry *entry = 0;
	__u32 length = 0;
	int verdict;

	if ((verdict = parse_frame(ctx, q, slot, generation)) != NC_CONTINUE)
		return verdict;
	if ((verdict = parse_header(q)) != NC_CONTINUE)
		return verdict;
	if ((verdict = parse_question(q)) != NC_CONTINUE)
		return verdict;
	if ((verdict = parse_edns(q, slot)) != NC_CONTINUE)
		return verdict;
	if (q->edns.bad_cookie) {
		q->reply.verdict = refuse_cookie(q);
	} else {
		if ((verdict = find_name_and_place(slot, q, generation, &entry)) != NC_CONTINUE)
			return verdict;
		if ((verdict = answer_name(ctx, q, slot, generation, entry, &length)) != NC_CONTINUE)
			return verdict;
		q->reply.tail_length = length;
		q->reply.verdict = NC_ANSWERED;
	}
	return send(ctx, q, slot);
}

SEC("xdp")
int nearcast(struct xdp_md *ctx)
{
	__u32 word = NC_READ_ONCE(control.generation), slot = nc_generation_slot(word), zero = 0;
	struct nc_generation *generation = bpf_map_lookup_elem(&generations, &slot);
	struct query *q = bpf_map_lookup_elem(&scratch, &zero);
	int verdict;

	if (!generation || !q)
		return XDP_PASS;
	q->overlay_buffer = nc_generation_half(word);
	verdict = NC_READ_ONCE(control.answering) & NC_ANSWERS ? answer(ctx, q, slot, generation) : NC_PASS_OFF;
	return end(slot, verdict);
}

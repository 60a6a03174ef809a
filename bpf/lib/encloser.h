/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Finds the closest encloser of a name that is not in the table (RFC 4592 section 3.3.1). */
#pragma once

#include "lookup.h"
#include "step.h"

#define NC_SEARCH_STEPS 8 /* of a binary search among 128 labels */

#define NC_NO_ENTRY 0xffffffffU

/*
 * Looks up the ancestor of the query's name that lacks its first `label` labels. Returns the cell of the directory for
 * names below it that do not exist, or 0 if user space answers those. NC_NO_ENTRY if the ancestor is not in the table.
 */
NC_STEP __u32 answers_below(__u32 slot, __u32 label)
{
	const struct nc_generation *generation;
	const struct nc_name_entry *entry;
	__u32 offset, length;
	struct query *q;
	__u64 hash;

	generation = begin_step(&generations, &slot, &q);
	if (!generation)
		return 0;
	offset = q->question.label[label & NC_LABEL_MASK];
	length = q->question.name_length - offset;
	hash = generation->name_secret;
	barrier_var(length);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_NAME_WORDS; i++) {
		__s32 left = (__s32)length - 8 * (__s32)i;
		__u64 word;

		if (left <= 0)
			break;
		word = load_u64((const __u8 *)q->question.name + ((offset + 8 * i) & (8 * NC_NAME_WORDS - 1)));
		/* Behind the name are bytes of earlier queries. */
		if (left < 8)
			word &= ~0ULL >> (64 - 8 * left);
		q->question.suffix[i] = word;
		hash = nc_hash_step(hash, word);
	}
	entry = find_name(slot, generation, nc_mix(hash),
			  (struct name){q->question.suffix, q->question.name_length - offset});
	entry = current_entry(slot, q->overlay_buffer, entry);
	return entry ? entry->below : NC_NO_ENTRY;
}

/*
 * The same for the closest encloser. The table contains all ancestors of every name in it, so a binary search finds the
 * longest suffix that exists.
 */
static __always_inline __u32 answers_below_encloser(const struct query *q, __u32 slot)
{
	__u32 low = 1, high = q->question.labels + 1, below = 0;

#pragma clang loop unroll(disable)
	for (int i = 0; i < NC_SEARCH_STEPS; i++) {
		__u32 middle = (low + high) / 2, found;

		if (low >= high)
			break;
		found = answers_below(slot, middle);
		if (found == NC_NO_ENTRY) {
			low = middle + 1;
		} else {
			below = found;
			high = middle;
		}
	}
	return below;
}

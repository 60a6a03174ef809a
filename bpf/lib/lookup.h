/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Looks up the name and the client's place, and chooses nodes from the candidate list that they lead to. */
#pragma once

#include "../maps.h"
#include "overlay.h"
#include "question.h"
#include "location.h"
#include "sender.h"

/* A name in lower case, as words; the last one is zero-padded. */
struct name {
	const __u64 *words;
	__u32 length;
};

/* Whether the name has the words at `words` from its word `first` on. Compares `count` words, or up to its end. */
static __always_inline int same_words(const __u64 *words, struct name name, __u32 first, __u32 count)
{
	__u32 length = name.length;

	barrier_var(length);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < count; i++) {
		if (first + i >= NC_NAME_WORDS || 8 * (first + i) >= length)
			break;
		if (words[i] != name.words[first + i])
			return 0;
	}
	return 1;
}

/* Whether the entry in cell `index` and the cells behind it is for this name. */
static __always_inline int same_name(void *entries, __u32 index, const struct nc_name_entry *entry, struct name name)
{
	if (entry->length != name.length || !same_words(entry->name, name, 0, NC_ENTRY_WORDS))
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 first = NC_ENTRY_WORDS; first < NC_NAME_WORDS; first += NC_REST_WORDS) {
		const struct nc_name_rest *rest;

		if (8 * first >= name.length)
			break;
		rest = nc_cell(entries, ++index);
		if (!rest || !same_words(rest->name, name, first, NC_REST_WORDS))
			return 0;
	}
	return 1;
}

static __always_inline const struct nc_name_entry *find_in_bucket(void *buckets, void *entries, __u32 bucket_index,
								  __u32 tag, struct name name)
{
	const struct nc_name_bucket *bucket = nc_cell(buckets, bucket_index);

	if (!bucket)
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_BUCKET_SLOTS; i++) {
		const struct nc_name_entry *entry;

		if (bucket->tag[i] != tag)
			continue;
		entry = nc_cell(entries, bucket->entry[i]);
		if (entry && same_name(entries, bucket->entry[i], entry, name))
			return entry;
	}
	return 0;
}

/* The current version of an entry, which the overlay may have replaced; 0 if the name was removed. */
static __always_inline const struct nc_name_entry *current_entry(__u32 slot, __u32 buffer,
								 const struct nc_name_entry *entry)
{
	void *entries;

	if (!entry || !entry->overlay)
		return entry;
	entries = bpf_map_lookup_elem(&name_entries, &slot);
	return entries ? nc_cell(entries, current_cell(slot, buffer, entry->overlay)) : 0;
}

/* The entry of the name with this hash, or 0. */
static __always_inline const struct nc_name_entry *find_name(__u32 slot, const struct nc_generation *generation,
							     __u64 hash, struct name name)
{
	void *buckets = bpf_map_lookup_elem(&name_buckets, &slot);
	void *entries = bpf_map_lookup_elem(&name_entries, &slot);
	__u32 tag = nc_name_tag(hash), mask = generation->bucket_mask;
	const struct nc_name_entry *entry;

	if (!buckets || !entries)
		return 0;
	entry = find_in_bucket(buckets, entries, nc_name_first_bucket(hash, mask), tag, name);
	if (!entry)
		entry = find_in_bucket(buckets, entries, nc_name_second_bucket(hash, mask), tag, name);
	return entry;
}

/* The address that the answer depends on: the client subnet, limited to the scope cap, or the sender. */
static __always_inline struct nc_address deciding_address(const struct query *q, int by_subnet)
{
	__u32 cap;

	if (!by_subnet)
		return sender(q);
	cap = nc_scope_cap(q->edns.subnet);
	return q->edns.subnet_source > cap ? nc_address_mask(q->edns.subnet, cap) : q->edns.subnet;
}

/* Records where the client is, and the ECS scope that follows from it. */
static __always_inline void place_client(struct query *q, int by_subnet, struct nc_address address,
					 struct nc_place found)
{
	q->decision.client.leaf = address; /* masked to `depth` if a hash decides */
	q->decision.depth = found.scope;
	q->decision.scope = by_subnet ? found.scope : 0;
	q->decision.place = found.place;
}

/*
 * Looks up the name and, for A and AAAA, the client's place. The place comes first, so that the CPU reads and looks up
 * the name while it waits for the cache lines of the place. The name's policy is not known yet: a client subnet always
 * counts here, and answer_tailored looks up the place again if the policy says `ecs: false`.
 */
static __always_inline int find_name_and_place(__u32 slot, struct query *q, const struct nc_generation *generation,
					       const struct nc_name_entry **entry)
{
	if (asks_addresses(q)) {
		int by_subnet = q->edns.has_subnet && q->edns.subnet_source;
		struct nc_address address = deciding_address(q, by_subnet);
		struct nc_place place;
		int verdict = find_place(slot, generation->recents, address, &place);

		if (verdict != NC_CONTINUE)
			return verdict;
		place_client(q, by_subnet, address, place);
	}
	*entry = current_entry(slot, q->overlay_buffer,
			       find_name(slot, generation, read_name(q, generation->name_secret),
					 (struct name){q->question.name, q->question.name_length}));
	return NC_CONTINUE;
}

/* Computes what the selection hashes: the client's leaf and the name's steering hash. */
static __always_inline void identify_client(struct query *q)
{
	__u64 hash = NC_STEERING_SEED;
	__u32 length = q->question.name_length;

	barrier_var(length);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_NAME_WORDS; i++) {
		if (8 * i >= length)
			break;
		hash = nc_hash_step(hash, q->question.name[i]);
	}
	q->decision.client.name_hash = nc_mix(hash);
	q->decision.client.leaf = nc_address_mask(q->decision.client.leaf, q->decision.depth);
}

/* The steering table of the requested family in the profile, or 0 if it has none. */
static __always_inline const struct nc_name_steering *find_steering(const struct query *q,
								    const struct nc_profile *profile)
{
	const struct nc_name_steering *steering = q->question.type == NC_TYPE_A ? &profile->v4 : &profile->v6;

	return steering->table == NC_NO_TABLE ? 0 : steering;
}

/* Chooses nodes for the client among the candidates of its place. Writes decision.chosen. */
static __always_inline int choose(__u32 slot, struct query *q, const struct nc_rule *rule,
				  const struct nc_name_steering *steering)
{
	void *classes = bpf_map_lookup_elem(&place_classes, &slot);
	void *table = bpf_map_lookup_elem(&lists, &slot);
	const struct nc_backstop *backstop;
	const struct nc_class_cell *cell;
	const struct nc_list *list;

	if (!classes || !table)
		return NC_PASS_TABLE;
	cell = nc_cell(classes, steering->classes + q->decision.place / NC_CLASSES_PER_CELL);
	if (!cell)
		return NC_PASS_TABLE;
	list = nc_cell(table, steering->lists + cell->class[q->decision.place % NC_CLASSES_PER_CELL]);
	if (!list)
		return NC_PASS_TABLE;
	if (nc_select_first(list, &words, steering->words, rule, &q->decision.chosen))
		return NC_CONTINUE;
	identify_client(q);
	backstop = nc_cell(table, list->backstop);
	if (!backstop)
		return NC_PASS_TABLE;
	nc_select_walk(list, backstop, &words, steering->words, &q->decision.client, rule,
		       NC_READ_ONCE(words.census[slot & 1][steering->table & (NC_MAX_STEERING_TABLES - 1)]),
		       &q->decision.chosen);
	/* An empty list yields nothing even if all nodes are down: user space knows why it is empty. */
	return q->decision.chosen.outcome == NC_EXHAUSTED || !q->decision.chosen.count ? NC_PASS_EXHAUSTED
										       : NC_CONTINUE;
}

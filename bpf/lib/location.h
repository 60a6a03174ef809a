/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Looks up addresses in the location table, through the per-CPU location cache (abi/recent.h). */
#pragma once

#include "../maps.h"

/* The cache entry for an IPv4 address in a buffer, 0 or 1. */
static __always_inline __u64 *cached_entry(__u32 buffer, __u32 address)
{
	__u32 at = nc_recent_at(address >> 8), part = (buffer & 1) * NC_RECENT_PARTS + at / NC_RECENT_WORDS;
	struct nc_recent *recent = bpf_map_lookup_elem(&recent_blocks, &part);

	return recent ? &recent->word[at % NC_RECENT_WORDS] : 0;
}

/*
 * Finds the place and the scope of an address, with the result of nc_location_find, by the location table of `slot` and
 * the cache buffer that belongs to it.
 */
static __always_inline int find_place(__u32 slot, __u32 buffer, struct nc_address address, struct nc_place *place)
{
	__u32 shift = nc_location_unwrap(&address), v4 = address.hi >> 32, word, leaf;
	__u64 *entry = address.family == NC_FAMILY_V4 ? cached_entry(buffer, v4) : 0;
	void *table;

	if (entry && nc_recent_tells(*entry, v4)) {
		*place = nc_location_leaf(*entry, shift);
		return NC_CONTINUE;
	}
	table = bpf_map_lookup_elem(&locations, &slot);
	if (!table)
		return NC_PASS_TABLE;
	word = nc_location_block(table, address);
	leaf = nc_location_below(table, address, word);
	if (entry && !(word & NC_WORD_NODE))
		*entry = nc_recent_entry(v4, NC_RECENT_BLOCK, leaf);
	else if (entry && !(v4 & 0xff))
		*entry = nc_recent_entry(v4, NC_RECENT_FIRST, leaf);
	*place = nc_location_leaf(leaf, shift);
	return NC_CONTINUE;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The location table, by way of the blocks asked for lately. */
#pragma once

#include "../maps.h"

/* Where the entry of an IPv4 address stands in a half. */
static __always_inline __u64 *recent_entry(__u32 half, __u32 address)
{
	__u32 at = nc_recent_at(address >> 8), part = (half & 1) * NC_RECENT_PARTS + at / NC_RECENT_WORDS;
	struct nc_recent *recent = bpf_map_lookup_elem(&recent_blocks, &part);

	return recent ? &recent->word[at % NC_RECENT_WORDS] : 0;
}

/*
 * Place and scope of an address, as nc_location_find, by the location table of `slot` and the half of the recent blocks
 * that is its own. A verdict.
 */
static __always_inline int find_recent(__u32 slot, __u32 half, struct nc_address address, struct nc_place *place)
{
	__u32 shift = nc_location_unwrap(&address), v4 = address.hi >> 32, word, leaf;
	__u64 *entry = address.family == NC_FAMILY_V4 ? recent_entry(half, v4) : 0;
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

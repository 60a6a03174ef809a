/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Per-CPU location cache: the leaves of recently queried IPv4 /24s, in map `recent_blocks`. In the location table
 * hardly any two clients share a cache line, so a busy server would wait for memory at each query. Here eight clients
 * share a line, and the lines of frequent clients stay in the CPU's cache.
 *
 * The cache is direct-mapped by a hash of the /24; a collision overwrites. An entry holds exactly what the location
 * table says. There are two buffers, and each location table in use has one of its own, which is cleared before the
 * table comes into use.
 */
#pragma once

#include "types.h"

#define NC_RECENT_BITS	15   /* of the hash: a /24 has one possible entry */
#define NC_RECENT_WORDS 2048 /* in a part: the kernel allows 32 KiB for each CPU in a map element */
#define NC_RECENT_PARTS 16

/* An entry caches one /24. Upper half: its prefix, and enum nc_recent_of; lower half: the word of the leaf. */
struct nc_recent {
	__u64 word[NC_RECENT_WORDS];
};
_Static_assert(NC_RECENT_PARTS *NC_RECENT_WORDS == 1 << NC_RECENT_BITS, "the hash selects an entry");

/* Which addresses of the /24 the leaf is valid for. */
enum nc_recent_of {
	NC_RECENT_NOTHING = 0,
	NC_RECENT_BLOCK = 1, /* all of them */
	NC_RECENT_FIRST = 2, /* only the first one, which ECS queries for the /24 look up */
};

/* The index of the entry for a /24; `block` is its prefix as a number. */
static __always_inline __u32 nc_recent_at(__u32 block)
{
	return (block * 0x9e3779b1U) >> (32 - NC_RECENT_BITS);
}

/* Whether an entry is valid for an address, which is in host order. */
static __always_inline int nc_recent_tells(__u64 entry, __u32 address)
{
	__u32 of = (__u32)(entry >> 32) ^ (address & ~0xffU);

	return of == NC_RECENT_BLOCK || (of == NC_RECENT_FIRST && !(address & 0xff));
}

/* The entry for the leaf of an address; `of` says which addresses of its /24 it is valid for. */
static __always_inline __u64 nc_recent_entry(__u32 address, enum nc_recent_of of, __u32 leaf)
{
	return (__u64)((address & ~0xffU) | of) << 32 | leaf;
}

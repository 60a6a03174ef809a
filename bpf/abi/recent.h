/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * IPv4 blocks asked for lately, a table a processor. A client's line of the location table is one that hardly any other
 * client shares, so a busy server waits for it from memory; here eight clients share a line, and those that ask often
 * stay in the processor's own cache. An entry holds exactly what the location table says of its block, or nothing: the
 * table is emptied before the location table that it is of comes into use.
 */
#pragma once

#include "types.h"

#define NC_RECENT_BITS	15   /* of a hash: a /24 has one place */
#define NC_RECENT_WORDS 2048 /* in a part: the kernel gives no more than 32 KiB a processor in one */
#define NC_RECENT_PARTS 16

/* A word a /24: above, its 24 bits and of what in it the leaf is; below, the leaf's word of the location table. */
struct nc_recent {
	__u64 word[NC_RECENT_WORDS];
};
_Static_assert(NC_RECENT_PARTS *NC_RECENT_WORDS == 1 << NC_RECENT_BITS, "a hash names an entry");

enum nc_recent_of {
	NC_RECENT_NOTHING = 0,
	NC_RECENT_BLOCK = 1, /* all addresses of the /24 */
	NC_RECENT_FIRST = 2, /* its first address, which speaks for it in queries with ECS */
};

/* Which entry is a /24's; `block` is the /24 as a number. */
static __always_inline __u32 nc_recent_at(__u32 block)
{
	return (block * 0x9e3779b1U) >> (32 - NC_RECENT_BITS);
}

/* Whether an entry tells the leaf of an address, in host order. */
static __always_inline int nc_recent_tells(__u64 entry, __u32 address)
{
	__u32 of = (__u32)(entry >> 32) ^ (address & ~0xffU);

	return of == NC_RECENT_BLOCK || (of == NC_RECENT_FIRST && !(address & 0xff));
}

/* An entry for an address's leaf; `of` is what of the block it is the leaf of. */
static __always_inline __u64 nc_recent_entry(__u32 address, enum nc_recent_of of, __u32 leaf)
{
	return (__u64)((address & ~0xffU) | of) << 32 | leaf;
}

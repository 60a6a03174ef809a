/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Location table: address -> place and ECS scope, for the whole city database.
 *
 *   IPv4: a word for each value of the first 12 bits of the address, in cells 0-255
 *     word = leaf, or the first of the cells that hold a word for each /24 of the block
 *   IPv6: a word for each value of the first 16 bits, in cells 256-4351
 *     word = leaf, or the cell of a node that splits the block into 256 children
 *
 *   word of a /24 = leaf, or the cell of a node that splits it into 256 children
 *   node: a bit for each child that begins a new run of equal children; the words of the runs are in the node
 *         itself if they are few, else in cells of their own
 *     word = leaf, or the next node, eight bits deeper
 *
 * Nearly every client's /24 costs one cache line and no further one. On a busy server, nearly every line that misses
 * the cache is one that no other client shares, so the table spends memory to touch few lines. All of it is 64-byte
 * cells in one array. Blocks smaller than the ECS cap exist for senders without ECS, whose whole address is looked up.
 * The table is immutable once published.
 *
 * The includer defines `nc_cell(table, index)`: a pointer to the cell, or 0.
 */
#pragma once

#include "limits.h"
#include "types.h"

#define NC_FAMILY_V4 1 /* as in ECS (RFC 7871 section 6) */
#define NC_FAMILY_V6 2

#define NC_WORDS_PER_CELL 16
#define NC_WIDE_CELLS	  256 /* of IPv4: 4,096 words */
#define NC_BLOCK_CELLS	  256 /* of one /12: 4,096 words */
#define NC_ROOT_CELL	  NC_WIDE_CELLS
#define NC_ROOT_CELLS	  4096 /* of IPv6: 65,536 words */

/* Word. Bit 31 set: the cell of a node, or the first cell of a /12. Clear: a leaf, bits 25-30 scope, 0-24 place. */
#define NC_WORD_NODE	    0x80000000U
#define NC_WORD_SCOPE_SHIFT 25
#define NC_WORD_PLACE_MASK  0x1ffffffU

#define NC_NODE_WORDS 5

struct nc_location_node {
	__u64 starts[4]; /* bit c: child c begins a run; bit 0 is always set */
	__u16 before[4]; /* number of runs that begin before starts[i] */
	__u32 base; /* index of the first run's word, counted from the start of the table; 0: the words are in `word` */
	__u32 word[NC_NODE_WORDS]; /* for up to five runs */
};
_Static_assert(sizeof(struct nc_location_node) == NC_CELL_BYTES, "layout");

struct nc_location_words {
	__u32 word[NC_WORDS_PER_CELL];
};
_Static_assert(sizeof(struct nc_location_words) == NC_CELL_BYTES, "layout");

/* An address in host order, as tables and hashes use it; IPv4 is in the upper 32 bits of `hi`. */
struct nc_address {
	__u64 hi;
	__u64 lo;
	__u32 family;
	__u32 reserved;
};

struct nc_place {
	__u32 place;
	__u32 scope;
};

static __always_inline __u32 nc_popcount64(__u64 x)
{
	x -= (x >> 1) & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (x * 0x0101010101010101ULL) >> 56;
}

/* Keeps the first `bits` bits of an address. */
static __always_inline struct nc_address nc_address_mask(struct nc_address a, __u32 bits)
{
	if (bits < 64) {
		a.lo = 0;
		a.hi = bits ? a.hi & (~0ULL << (64 - bits)) : 0;
	} else if (bits < 128) {
		a.lo = bits > 64 ? a.lo & (~0ULL << (128 - bits)) : 0;
	}
	return a;
}

static __always_inline int nc_is_6to4(struct nc_address a)
{
	return a.family == NC_FAMILY_V6 && a.hi >> 48 == 0x2002;
}

/* The deepest scope for this kind of address. Bits of an ECS option beyond it are ignored. */
static __always_inline __u32 nc_scope_cap(struct nc_address a)
{
	if (a.family == NC_FAMILY_V4)
		return NC_SCOPE_MAX_V4;
	return nc_is_6to4(a) ? 16 + NC_SCOPE_MAX_V4 : NC_SCOPE_MAX_V6;
}

#ifdef NC_TABLE
/* Reads word `index` of the table; beyond its end, 0 (the unknown place). */
static __always_inline __u32 nc_location_word(NC_TABLE table, __u32 index)
{
	const struct nc_location_words *line = nc_cell(table, index / NC_WORDS_PER_CELL);

	return line ? line->word[index % NC_WORDS_PER_CELL] : 0;
}

/* The word of child `byte` of the node that `word` names. */
static __always_inline __u32 nc_location_step(NC_TABLE table, __u32 word, __u32 byte)
{
	const struct nc_location_node *node = nc_cell(table, word & ~NC_WORD_NODE);
	__u32 quarter = (byte >> 6) & 3, run;

	if (!node)
		return 0;
	/* Counts bits 0 to byte % 64: the child is in the last run that begins at or before it. */
	run = node->before[quarter] - 1 + nc_popcount64(node->starts[quarter] << (63 - (byte & 63)));
	if (node->base)
		return nc_location_word(table, node->base + run);
	return run < NC_NODE_WORDS ? node->word[run] : 0;
}

/*
 * Replaces a 6to4 address (RFC 3056) by the IPv4 address inside it, which decides its place. Returns the number of
 * leading bits that were removed.
 */
static __always_inline __u32 nc_location_unwrap(struct nc_address *address)
{
	if (!nc_is_6to4(*address))
		return 0;
	address->hi <<= 16;
	address->lo = 0;
	address->family = NC_FAMILY_V4;
	return 16;
}

/* The word of an unwrapped address's block: of its /24, or for IPv6 of its /16. */
static __always_inline __u32 nc_location_block(NC_TABLE table, struct nc_address address)
{
	__u32 word;

	if (address.family != NC_FAMILY_V4)
		return nc_location_word(table, NC_ROOT_CELL * NC_WORDS_PER_CELL + (address.hi >> 48));
	word = nc_location_word(table, address.hi >> 52);
	if (!(word & NC_WORD_NODE))
		return word;
	return nc_location_word(table, (word & ~NC_WORD_NODE) * NC_WORDS_PER_CELL + ((address.hi >> 40) & 0xfff));
}

/* The leaf of an unwrapped address, from the word of its block. */
static __always_inline __u32 nc_location_below(NC_TABLE table, struct nc_address address, __u32 word)
{
	__u32 depth = address.family == NC_FAMILY_V4 ? 24 : 16;

#pragma clang loop unroll(disable)
	for (; depth < 128; depth += 8) {
		if (!(word & NC_WORD_NODE))
			break;
		word = nc_location_step(table, word,
					depth < 64 ? (address.hi >> (56 - depth)) & 0xff
						   : (address.lo >> (120 - depth)) & 0xff);
	}
	return word;
}

/*
 * Place and scope in a leaf, for an address from which `shift` bits were removed. The scope is the depth of the leaf
 * within the limits of its family.
 */
static __always_inline struct nc_place nc_location_leaf(__u32 word, __u32 shift)
{
	return (struct nc_place){word & NC_WORD_PLACE_MASK, ((word >> NC_WORD_SCOPE_SHIFT) & 0x3f) + shift};
}

/* Place and scope of an address. */
static __always_inline struct nc_place nc_location_find(NC_TABLE table, struct nc_address address)
{
	__u32 shift = nc_location_unwrap(&address);

	return nc_location_leaf(nc_location_below(table, address, nc_location_block(table, address)), shift);
}
#endif

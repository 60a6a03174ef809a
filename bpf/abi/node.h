/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Nodes: the word that health checking writes and every packet reads, and the addresses that answers contain.
 *
 * A slot is assigned to a node id once, and kept while any generation refers to it. One 8-byte store changes the word.
 * Nothing else has to change for a node to leave the answers.
 */
#pragma once

#include "limits.h"
#include "types.h"

enum nc_node_state {
	NC_NODE_UNKNOWN = 0, /* no verdict yet: used only if no node is usable */
	NC_NODE_UP = 1,
	NC_NODE_DEGRADED = 2, /* usable, with a smaller share */
	NC_NODE_DOWN = 3,
	NC_NODE_DRAINED = 4,	 /* by an operator */
	NC_NODE_MAINTENANCE = 5, /* by schedule */
};

#define NC_SHARE_FULL 256
#define NC_TTL_STABLE 0xffffffU /* no change expected: the maximum of the policy applies */

/* Word: bits 0-7 state, 8-23 share in 256ths, 24-47 TTL in seconds, 48-63 version. */
static __always_inline __u64 nc_node_word(__u32 state, __u32 share, __u32 ttl, __u32 version)
{
	return (__u64)(state & 0xff) | (__u64)(share & 0xffff) << 8 | (__u64)(ttl & 0xffffff) << 24 |
	       (__u64)(version & 0xffff) << 48;
}

static __always_inline __u32 nc_word_state(__u64 word)
{
	return word & 0xff;
}

static __always_inline __u32 nc_word_share(__u64 word)
{
	return (word >> 8) & 0xffff;
}

static __always_inline __u32 nc_word_ttl(__u64 word)
{
	return (word >> 24) & 0xffffff;
}

static __always_inline __u32 nc_word_version(__u64 word)
{
	return word >> 48;
}

/* A node has a word for each kind of answer, since checks may find one family of it up and the other one down. */
enum nc_word_set {
	NC_WORDS_ANY = 0, /* answers without an address: the state of the better family */
	NC_WORDS_V4 = 1,
	NC_WORDS_V6 = 2,
	NC_WORD_SETS = 4, /* a power of two, so that a mask bounds the index; the last set is unused */
};

/*
 * Node words: global memory of the program, mapped by the daemon. `census` counts the nodes of a steering table in a
 * generation: those in state UP or DEGRADED in the lower half, UNKNOWN ones in bits 32-62; bit 63 says that some lists
 * are empty on purpose, for user space. It is written after the word when a node leaves, and before it when a node
 * returns, so that a packet in between is passed to user space; it never takes the pool for dead.
 */
struct nc_words {
	__u64 node[NC_WORD_SETS][NC_MAX_NODES];
	__u64 id_hash[NC_MAX_NODES]; /* steering hash of the node's id, as long as it has the slot */
	__u64 census[NC_GENERATIONS][NC_MAX_STEERING_TABLES];
};

/* The current word of a node for answers of the set. */
static __always_inline __u64 nc_read_word(const struct nc_words *words, __u32 set, __u32 slot)
{
	return NC_READ_ONCE(words->node[set & (NC_WORD_SETS - 1)][slot & (NC_MAX_NODES - 1)]);
}

/* Addresses of a slot, in network order. Steering tables refer only to nodes that have the address. */
struct nc_node {
	__u8 v6[16];
	__u8 v4[4];
	__u8 reserved[4];
};
_Static_assert(sizeof(struct nc_node) == 24, "layout");

#ifndef __bpf__
/* Access to single words: Swift would import the arrays as tuples of 4,096 elements. */
static __always_inline __u64 *nc_words_node(struct nc_words *words, __u32 set, __u32 slot)
{
	return &words->node[set & (NC_WORD_SETS - 1)][slot & (NC_MAX_NODES - 1)];
}

static __always_inline __u64 *nc_words_id_hash(struct nc_words *words, __u32 slot)
{
	return &words->id_hash[slot & (NC_MAX_NODES - 1)];
}

static __always_inline __u64 *nc_words_census(struct nc_words *words, __u32 generation, __u32 table)
{
	return &words->census[generation & 1][table & (NC_MAX_STEERING_TABLES - 1)];
}
#endif

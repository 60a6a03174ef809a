/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Nodes: the word that health writes and every packet reads, and the addresses an answer is made of.
 *
 * A slot is assigned to a node id once and kept while any generation names it. The word is changed by
 * one 8-byte store; nothing else need change for a node to leave the answers.
 */
#pragma once

#include "limits.h"
#include "types.h"

enum nc_node_state {
	NC_NODE_UNKNOWN = 0, /* no verdict yet: used only when nothing is usable */
	NC_NODE_UP = 1,
	NC_NODE_DEGRADED = 2, /* usable, with a smaller share */
	NC_NODE_DOWN = 3,
	NC_NODE_DRAINED = 4,	 /* by a person */
	NC_NODE_MAINTENANCE = 5, /* by schedule */
};

#define NC_SHARE_FULL 256
#define NC_TTL_STABLE 0xffffffU /* no change in sight: the record's maximum applies */

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

/*
 * The words of one machine. Global memory of the program, mapped by the daemon. `census` counts, for a
 * steering table of a generation, the nodes in state UP or DEGRADED (low half) and UNKNOWN (high half);
 * it is written after the word when a node leaves and before it when a node returns, so that a packet
 * between the two declines rather than takes the pool for dead.
 */
struct nc_words {
	__u64 node[NC_MAX_NODES];
	__u64 id_hash[NC_MAX_NODES]; /* steering hash of the node's id, fixed with the slot */
	__u64 census[NC_GENERATIONS][NC_MAX_STEERING_TABLES];
};

/* Addresses of a slot, in network order; which of them exist is the steering table's business. */
struct nc_node {
	__u8 v6[16];
	__u8 v4[4];
	__u8 reserved[4];
};
_Static_assert(sizeof(struct nc_node) == 24, "layout");

#ifndef __bpf__
/* Swift reaches the words one by one: it would import the arrays as tuples of 4,096. */
static __always_inline __u64 *nc_words_node(struct nc_words *words, __u32 slot)
{
	return &words->node[slot & (NC_MAX_NODES - 1)];
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

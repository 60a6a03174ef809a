/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Selection: which nodes a client is sent to. Both paths run this one definition.
 *
 * Input: the candidate list of (place, steering table), its backstop (the candidates that follow the list), and the
 * node words. The walk goes through the list band by band, within a band in the order of a weighted hash of (leaf,
 * name, node id), then through the backstop. A candidate is chosen if its state is usable and an 8-bit hash of the same
 * three values is below its share.
 *
 * If the walk finds fewer nodes than the policy asks for, and list and backstop do not hold the whole pool, user space
 * decides (by the full order), provided that the census counts usable nodes. If the walk finds none at all: again
 * without regard to shares; then UNKNOWN nodes; then the policy's rule for the case that all nodes are down.
 */
#pragma once

#include "hash.h"
#include "limits.h"
#include "location.h"
#include "node.h"
#include "types.h"

enum nc_list_flag {
	NC_LIST_BANDS = 1,    /* some band has several members, which the hash puts in order */
	NC_LIST_COMPLETE = 2, /* list and backstop together hold every node of the table */
};

/* A candidate list, ranked by (score, node id), in one cell. Places with equal lists share it. */
struct nc_list {
	__u32 backstop; /* cell of the backstop; cell 0 is an empty one, so that every list has one */
	__u8 count;
	__u8 flags;   /* enum nc_list_flag */
	__u16 behind; /* bit i: candidate i of the backstop is not in this list, so it counts */
	__u16 slot[NC_LOCAL_CANDIDATES];
	__u16 weight[NC_LOCAL_CANDIDATES]; /* 1-65535 */
	__u8 band[NC_LOCAL_CANDIDATES];	   /* in ascending order */
	__u8 reserved2[16];
};
_Static_assert(sizeof(struct nc_list) == NC_CELL_BYTES, "layout");

/* The candidates that follow a list, as far as all places of the list agree on them. */
struct nc_backstop {
	__u16 slot[NC_BACKSTOP_CANDIDATES]; /* nc_list.behind says which of them count */
	__u8 reserved[32];
};
_Static_assert(sizeof(struct nc_backstop) == NC_CELL_BYTES, "layout");

enum nc_all_down {
	NC_ALL_DOWN_OPEN = 0,	    /* the first candidates of the walk, whatever their state, with the shortest TTL */
	NC_ALL_DOWN_USER_SPACE = 1, /* any other rule */
};

/* The parameters that a name's policy sets. */
struct nc_rule {
	__u32 ttl_min; /* seconds */
	__u32 ttl_max;
	__u8 answers;  /* 1-NC_MAX_ANSWERS */
	__u8 all_down; /* enum nc_all_down */
	__u8 ecs;      /* 0: the client subnet is ignored, and echoed with scope 0 */
	__u8 reserved;
};

/* What the hash depends on: the client's leaf (its address masked to the scope) and the name. */
struct nc_client {
	struct nc_address leaf;
	__u64 name_hash; /* steering hash of the name */
};

enum nc_outcome {
	NC_CHOSEN = 0,
	NC_CHOSEN_ALL_DOWN = 1, /* by NC_ALL_DOWN_OPEN */
	NC_EXHAUSTED = 2,	/* user space decides */
};

struct nc_selection {
	__u16 slot[NC_MAX_ANSWERS];
	__u32 count;
	__u32 outcome;
	__u32 ttl;

	/* Private to the walk. In masks, bit i stands for step i. */
	__u32 usable;
	__u32 unknown;
	__u32 order; /* a nibble for each step: the candidate's index */
	__u32 reserved;
	__u64 client_hash; /* 0: not computed yet */
};

/*
 * The state of a walk, in memory: of values in registers, the verifier would follow every combination, and there are
 * 3^24.
 */
typedef volatile struct nc_selection nc_walk;

static __always_inline __u64 nc_client_hash(const struct nc_client *client)
{
	__u64 hash = nc_hash_step(NC_STEERING_SEED, client->leaf.hi);

	hash = nc_hash_step(hash, client->leaf.lo ^ client->leaf.family);
	return nc_mix(hash ^ client->name_hash);
}

/* Bits 0-7 are compared with the share; bits 16-47 rank within a band. */
static __always_inline __u64 nc_candidate_hash(__u64 client_hash, __u64 id_hash)
{
	return nc_mix(client_hash ^ id_hash);
}

/*
 * -log2(u / 2^32) in units of 2^-24, for u in 1...2^32, by a least-squares polynomial for log2(1 + f) on [0, 1) with an
 * error below 6e-7. It uses integers only, so that every machine ranks alike, and no branches, because the verifier
 * would follow each.
 */
static __always_inline __u64 nc_minus_log2(__u64 u)
{
	__u64 exponent = 0, shifted = u;
	__s64 fraction, value;

	for (__u32 step = 32; step; step >>= 1) {
		__u64 up = shifted >> step;
		__u64 shift = ((up | -up) >> 63) * step;

		exponent += shift;
		shifted >>= shift;
	}
	/* 2^exponent <= u; fraction = u / 2^exponent - 1, in units of 2^-30. */
	fraction = (__s64)((u << (32 - exponent)) >> 2) - (1LL << 30);
	value = -13113242;
	value = 67624643 + ((value * fraction) >> 30);
	value = -165430129 + ((value * fraction) >> 30);
	value = 273557507 + ((value * fraction) >> 30);
	value = -378799598 + ((value * fraction) >> 30);
	value = 515305339 + ((value * fraction) >> 30);
	value = -774484488 + ((value * fraction) >> 30);
	value = 1549081257 + ((value * fraction) >> 30);
	value = (value * fraction) >> 30;
	value = ((__s64)(32 - exponent) << 24) - (value >> 6);
	return value & ~(value >> 63);
}

/*
 * Rank within a band; the smallest comes first. -log(u) / weight is exponentially distributed with rate `weight`, so
 * each candidate wins in proportion to its weight, and removing one moves only its own clients (weighted rendezvous
 * hashing).
 */
static __always_inline __u64 nc_band_rank(__u64 hash, __u32 weight)
{
	__u64 u = ((hash >> 16) & 0xffffffff) + 1;

	/* Weights are 1-65535. This keeps the 0 of an unused candidate from being a divisor. */
	return (nc_minus_log2(u) << 20) / (((weight - 1) & 0xffff) + 1);
}

/* The order of the walk through a list: a nibble for each step, the candidate's index. */
static __always_inline __u32 nc_walk_order(const struct nc_list *list, const struct nc_words *words, __u64 client_hash)
{
	__u64 key[NC_LOCAL_CANDIDATES];
	__u32 order = 0;

	for (__u32 i = 0; i < NC_LOCAL_CANDIDATES; i++) {
		__u32 slot = list->slot[i] & (NC_MAX_NODES - 1);
		__u64 hash = nc_candidate_hash(client_hash, words->id_hash[slot]);
		__u64 used = ((__u64)i - list->count) >> 63;

		/* The rank is below 2^50. Unused candidates come last. */
		key[i] = ((list->band[i] & 0x3f) | (1 - used) << 6) << 52 | nc_band_rank(hash, list->weight[i]);
	}
	for (__u32 i = 0; i < NC_LOCAL_CANDIDATES; i++) {
		__u32 rank = 0;

		/* Keys are below 2^63, so the sign of a difference compares them without a branch. */
		for (__u32 j = 0; j < NC_LOCAL_CANDIDATES; j++)
			rank += (key[j] - key[i] - (j < i)) >> 63;
		order |= i << (4 * (rank & 7));
	}
	return order;
}

/* Steps of the walk: 8 in the list, then 16 in the backstop. */
#define NC_WALK_STEPS (NC_LOCAL_CANDIDATES + NC_BACKSTOP_CANDIDATES)

/* The slot at a step of the walk. Negative: no candidate, or one of the backstop that is in the list. */
static __always_inline __s32 nc_walk_slot(const struct nc_list *list, const struct nc_backstop *backstop, __u32 order,
					  __u32 step)
{
	if (step < NC_LOCAL_CANDIDATES)
		return step < list->count ? list->slot[(order >> (4 * step)) & 7] & (NC_MAX_NODES - 1) : -1;
	step = (step - NC_LOCAL_CANDIDATES) & (NC_BACKSTOP_CANDIDATES - 1);
	return list->behind >> step & 1 ? backstop->slot[step] & (NC_MAX_NODES - 1) : -1;
}

static __always_inline __u64 nc_walk_hash(nc_walk *walk, const struct nc_client *client)
{
	if (!walk->client_hash)
		walk->client_hash = nc_client_hash(client);
	return walk->client_hash;
}

/* Adds a node to the answer. Returns whether there is room for another. */
static __always_inline int nc_take(nc_walk *walk, __s32 slot, const struct nc_rule *rule)
{
	__u32 count = walk->count;

	walk->slot[count & (NC_MAX_ANSWERS - 1)] = slot;
	walk->count = count + 1;
	return count + 1 < rule->answers && count + 1 < NC_MAX_ANSWERS;
}

/* The walk that respects state and share. Records the states that it meets, and the shortest TTL. */
static __always_inline void nc_walk_admitted(const struct nc_list *list, const struct nc_backstop *backstop,
					     const struct nc_words *words, __u32 set, const struct nc_client *client,
					     const struct nc_rule *rule, nc_walk *walk)
{
#pragma clang loop unroll(disable)
	for (__u32 step = 0; step < NC_WALK_STEPS; step++) {
		__s32 slot = nc_walk_slot(list, backstop, walk->order, step);
		__u32 state, share;
		__u64 word, hash;

		if (slot < 0)
			continue;
		slot &= NC_MAX_NODES - 1;
		word = nc_read_word(words, set, slot);
		state = nc_word_state(word);
		share = nc_word_share(word);
		if (nc_word_ttl(word) < walk->ttl)
			walk->ttl = nc_word_ttl(word);
		if (state == NC_NODE_UNKNOWN)
			walk->unknown |= 1U << step;
		if (state != NC_NODE_UP && state != NC_NODE_DEGRADED)
			continue;
		walk->usable |= 1U << step;
		if (share < NC_SHARE_FULL) {
			hash = nc_candidate_hash(nc_walk_hash(walk, client), words->id_hash[slot]);
			if ((hash & 0xff) >= share)
				continue;
		}
		if (!nc_take(walk, slot, rule))
			break;
	}
}

/* The walk through the steps in `mask`, without regard to state and share. */
static __always_inline void nc_walk_mask(const struct nc_list *list, const struct nc_backstop *backstop,
					 const struct nc_rule *rule, __u32 mask, nc_walk *walk)
{
#pragma clang loop unroll(disable)
	for (__u32 step = 0; step < NC_WALK_STEPS; step++) {
		__s32 slot = nc_walk_slot(list, backstop, walk->order, step);

		if (slot >= 0 && (mask >> step & 1) && !nc_take(walk, slot, rule))
			break;
	}
}

/* What to take if the walk chose no node: a mask of steps, or 0 if user space has to decide. */
static __always_inline __u32 nc_last_resort(const struct nc_list *list, const struct nc_rule *rule, __u64 census,
					    nc_walk *walk)
{
	if (walk->usable)
		return walk->usable;
	/* An incomplete list may be too short for the answer. */
	if (!(list->flags & NC_LIST_COMPLETE) && (census || list->count < rule->answers))
		return 0;
	if (walk->unknown)
		return walk->unknown;
	if (rule->all_down != NC_ALL_DOWN_OPEN)
		return 0;
	walk->outcome = NC_CHOSEN_ALL_DOWN;
	walk->ttl = 0;
	return ~0U;
}

/* Limits a TTL to the range that the rule allows. */
static __always_inline __u32 nc_rule_ttl(const struct nc_rule *rule, __u32 ttl)
{
	if (ttl > rule->ttl_max)
		ttl = rule->ttl_max;
	return ttl < rule->ttl_min ? rule->ttl_min : ttl;
}

/*
 * Shortcut for the usual case, in which the walk ends with its first step: the policy asks for one node, no hash
 * decides, and the first candidate is usable with its full share. Returns whether that is so.
 */
static __always_inline int nc_select_first(const struct nc_list *list, const struct nc_words *words, __u32 set,
					   const struct nc_rule *rule, struct nc_selection *out)
{
	__u32 slot = list->slot[0] & (NC_MAX_NODES - 1), state;
	__u64 word = nc_read_word(words, set, slot);

	state = nc_word_state(word);
	if (!list->count || (list->flags & NC_LIST_BANDS) || rule->answers > 1)
		return 0;
	if ((state != NC_NODE_UP && state != NC_NODE_DEGRADED) || nc_word_share(word) < NC_SHARE_FULL)
		return 0;
	out->slot[0] = slot;
	out->count = 1;
	out->outcome = NC_CHOSEN;
	out->ttl = nc_rule_ttl(rule, nc_word_ttl(word));
	return 1;
}

/* Chooses by the complete walk. */
static __always_inline void nc_select_walk(const struct nc_list *list, const struct nc_backstop *backstop,
					   const struct nc_words *words, __u32 set, const struct nc_client *client,
					   const struct nc_rule *rule, __u64 census, struct nc_selection *out)
{
	nc_walk *walk = out;
	__u32 mask;

	walk->count = 0;
	walk->outcome = NC_CHOSEN;
	walk->ttl = NC_TTL_STABLE;
	walk->usable = 0;
	walk->unknown = 0;
	walk->client_hash = 0;
	walk->order = 0x76543210;
	if (list->flags & NC_LIST_BANDS)
		walk->order = nc_walk_order(list, words, nc_walk_hash(walk, client));
	nc_walk_admitted(list, backstop, words, set, client, rule, walk);
	/* Only the full order knows the candidates behind an incomplete list. While the census is not 0, there are
	 * some. */
	if (walk->count < rule->answers && !(list->flags & NC_LIST_COMPLETE) && census) {
		walk->outcome = NC_EXHAUSTED;
		return;
	}
	if (!walk->count) {
		mask = nc_last_resort(list, rule, census, walk);
		if (!mask) {
			walk->outcome = NC_EXHAUSTED;
			return;
		}
		nc_walk_mask(list, backstop, rule, mask, walk);
	}
	walk->ttl = nc_rule_ttl(rule, walk->ttl);
}

/*
 * Chooses nodes by the words of `set` (enum nc_word_set), that of the table's family. `census` is the table's word of
 * the generation in use. On NC_EXHAUSTED, `out` holds no choice.
 */
static __always_inline void nc_select(const struct nc_list *list, const struct nc_backstop *backstop,
				      const struct nc_words *words, __u32 set, const struct nc_client *client,
				      const struct nc_rule *rule, __u64 census, struct nc_selection *out)
{
	if (!nc_select_first(list, words, set, rule, out))
		nc_select_walk(list, backstop, words, set, client, rule, census, out);
}

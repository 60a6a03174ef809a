/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hashes that both paths compute. There are two kinds, which are never mixed:
 *  - keyed with a secret that is drawn at every start: assigns a name to its buckets in the name table;
 *  - keyed with NC_STEERING_SEED: decides which client gets which node. The same on every machine, for good.
 */
#pragma once

#include "types.h"

#define NC_STEERING_SEED \
	0x6e65617263617374ULL /* "nearcast"; part of the ABI: another value moves clients to other nodes */

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every output bit. */
static __always_inline __u64 nc_mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* One step of a running hash over 8-byte words. */
static __always_inline __u64 nc_hash_step(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

/* Hash of `count` words: of a node id, or of a name in lower case, zero-padded to whole words. */
static __always_inline __u64 nc_hash_words(const __u64 *words, __u32 count, __u64 seed)
{
	__u64 hash = seed;

	for (__u32 i = 0; i < count; i++)
		hash = nc_hash_step(hash, words[i]);
	return nc_mix(hash);
}

/* Converts ASCII letters to lower case, eight bytes at once. Label lengths stay as they are: at most 63, below 'A'. */
static __always_inline __u64 nc_lower_word(__u64 word)
{
	const __u64 ones = 0x0101010101010101ULL;
	__u64 seven = word & (ones * 0x7f);
	__u64 from_a = seven + ones * (0x80 - 'A');
	__u64 past_z = seven + ones * (0x7f - 'Z');

	return word | ((~word & (from_a ^ past_z) & (ones * 0x80)) >> 2);
}

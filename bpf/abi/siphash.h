/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * SipHash-2-4 (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012), for DNS cookies (RFC 9018). The caller
 * passes the message as words, which it has in registers; nothing is read byte by byte.
 */
#pragma once

#include "types.h"

/* The 16 bytes of the key, as two little-endian words. */
struct nc_siphash_key {
	__u64 k0;
	__u64 k1;
};
_Static_assert(sizeof(struct nc_siphash_key) == 16, "no padding");

struct nc_siphash {
	__u64 v0;
	__u64 v1;
	__u64 v2;
	__u64 v3;
};

static __always_inline __u64 nc_rotate_left(__u64 x, __u32 bits)
{
	return x << bits | x >> (64 - bits);
}

static __always_inline void nc_siphash_round(struct nc_siphash *s)
{
	s->v0 += s->v1;
	s->v1 = nc_rotate_left(s->v1, 13) ^ s->v0;
	s->v0 = nc_rotate_left(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = nc_rotate_left(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = nc_rotate_left(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = nc_rotate_left(s->v1, 17) ^ s->v2;
	s->v2 = nc_rotate_left(s->v2, 32);
}

static __always_inline void nc_siphash_add(struct nc_siphash *s, __u64 word)
{
	s->v3 ^= word;
	nc_siphash_round(s);
	nc_siphash_round(s);
	s->v0 ^= word;
}

static __always_inline struct nc_siphash nc_siphash_begin(struct nc_siphash_key key)
{
	struct nc_siphash s = {
		key.k0 ^ 0x736f6d6570736575ULL,
		key.k1 ^ 0x646f72616e646f6dULL,
		key.k0 ^ 0x6c7967656e657261ULL,
		key.k1 ^ 0x7465646279746573ULL,
	};

	return s;
}

/* Adds the last bytes of a message of `length` bytes: `rest`, those behind the whole words. Returns the hash. */
static __always_inline __u64 nc_siphash_end(struct nc_siphash *s, __u64 rest, __u32 length)
{
	nc_siphash_add(s, rest | (__u64)length << 56);
	s->v2 ^= 0xff;
	for (int i = 0; i < 4; i++)
		nc_siphash_round(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/*
 * Hash of `length` bytes: `count` = length / 8 little-endian words, and `rest`, the remaining bytes read in the same
 * way. The little-endian bytes of the result are the hash.
 */
static __always_inline __u64 nc_siphash_words(struct nc_siphash_key key, const __u64 *words, __u32 count, __u64 rest,
					      __u32 length)
{
	struct nc_siphash s = nc_siphash_begin(key);

	for (__u32 i = 0; i < count; i++)
		nc_siphash_add(&s, words[i]);
	return nc_siphash_end(&s, rest, length);
}

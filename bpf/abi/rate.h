/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Response rate limiting: a token bucket in one word, for each client network and class of replies. The buckets
 * are one direct-mapped table that both paths count in, so that what a network gets is one budget.
 *
 * Word: bits 32-63 second of the last visit, 16-31 tokens, 12-15 replies over the limit since one was cut, 0-11
 * a tag that tells the keys of one place apart.
 */
#pragma once

#include "hash.h"
#include "location.h"
#include "types.h"

#define NC_RATE_BUCKETS	 131072 /* 8 bytes each; a power of two */
#define NC_RATE_TAG_MASK 0xfffU

/* Replies that are limited apart from each other: a flood of one kind leaves the others alone. */
enum nc_response_class {
	NC_CLASS_ANSWER = 0,
	NC_CLASS_NODATA,
	NC_CLASS_NXDOMAIN,
	NC_CLASS_REFERRAL,
	NC_CLASS_ERROR,
};

/* What becomes of a reply. */
enum nc_rate_outcome {
	NC_RATE_SEND = 0,
	NC_RATE_SLIP, /* sent cut to its question with TC, so that an honest client asks again over TCP */
	NC_RATE_DROP,
};

struct nc_rate_visit {
	__u64 word; /* to be stored */
	__u32 outcome;
	__u32 reserved;
};

/* Key of a network's bucket for a class; `network` is cut to its prefix. */
static __always_inline __u64 nc_rate_key(__u64 secret, struct nc_address network, __u32 response_class)
{
	__u64 hash = nc_hash_step(secret, (__u64)network.family << 8 | response_class);

	hash = nc_hash_step(hash, network.hi);
	return nc_mix(nc_hash_step(hash, network.lo));
}

static __always_inline __u32 nc_rate_place(__u64 key)
{
	return (__u32)key & (NC_RATE_BUCKETS - 1);
}

static __always_inline __u32 nc_rate_tag(__u64 key)
{
	return key >> 48 & NC_RATE_TAG_MASK;
}

/*
 * Takes a token of the bucket `word` in the second `now` (modulo 2^32): `rate` (1 to 65,535) come each second, and a
 * pause saves no more. Of the replies over the limit every `slip`th is cut; 0: none. Another key's bucket, and one that
 * was visited in the future, begins anew, full: errors let replies pass.
 */
static __always_inline struct nc_rate_visit nc_rate_take(__u64 word, __u32 tag, __u32 now, __u32 rate, __u32 slip)
{
	__s32 elapsed = (__s32)(now - (__u32)(word >> 32));
	__u64 tokens = word >> 16 & 0xffff, limited = word >> 12 & 15;
	struct nc_rate_visit visit = {0, NC_RATE_SEND, 0};

	/* An untouched bucket has the tag 0 perhaps, but the second 0 surely. */
	if ((word & NC_RATE_TAG_MASK) != tag || elapsed < 0 || !word) {
		tokens = rate;
		limited = 0;
	} else {
		tokens += (__u64)elapsed * rate;
		if (tokens > rate)
			tokens = rate;
	}
	if (tokens) {
		tokens--;
	} else {
		limited++;
		visit.outcome = slip && limited >= slip ? NC_RATE_SLIP : NC_RATE_DROP;
		/* Without slip nothing is counted, and four bits must not overflow. */
		if (visit.outcome == NC_RATE_SLIP || !slip)
			limited = 0;
	}
	visit.word = (__u64)now << 32 | tokens << 16 | limited << 12 | tag;
	return visit;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Response rate limiting: a token bucket for each client network and class of replies, in one word. The buckets are one
 * direct-mapped table that both paths update, so that a network has a single budget.
 *
 * Word: bits 32-63 second of the last update, 16-31 tokens, 12-15 replies over the limit since the last truncated one,
 * 0-11 a tag, which distinguishes keys with the same index.
 */
#pragma once

#include "hash.h"
#include "location.h"
#include "types.h"

#define NC_RATE_BUCKETS	 131072 /* 8 bytes each; a power of two */
#define NC_RATE_TAG_MASK 0xfffU

/* Classes of replies. Each has its own bucket, so that a flood of one class does not affect the others. */
enum nc_response_class {
	NC_CLASS_ANSWER = 0,
	NC_CLASS_NODATA,
	NC_CLASS_NXDOMAIN,
	NC_CLASS_REFERRAL,
	NC_CLASS_ERROR,
};

/* What happens to a reply. */
enum nc_rate_outcome {
	NC_RATE_SEND = 0,
	NC_RATE_SLIP, /* sent truncated, with TC, so that a legitimate client retries over TCP */
	NC_RATE_DROP,
};

struct nc_rate_visit {
	__u64 word; /* the new value of the bucket */
	__u32 outcome;
	__u32 reserved;
};

/* The key of a network's bucket for a class. `network` is masked to its prefix. */
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
 * Takes a token from the bucket `word` in second `now` (modulo 2^32). `rate` tokens, 1 to 65,535, are added each
 * second, up to a maximum of `rate`. Of the replies over the limit, every `slip`th is sent truncated; 0: none. A bucket
 * that belongs to another key, or was updated in the future, restarts full: collisions and clock errors let replies
 * pass.
 */
static __always_inline struct nc_rate_visit nc_rate_take(__u64 word, __u32 tag, __u32 now, __u32 rate, __u32 slip)
{
	__s32 elapsed = (__s32)(now - (__u32)(word >> 32));
	__u64 tokens = word >> 16 & 0xffff, limited = word >> 12 & 15;
	struct nc_rate_visit visit = {0, NC_RATE_SEND, 0};

	/* An unused bucket is 0. Its tag may match, and its time may seem to be in the past. */
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
		/* Without slip there is nothing to count, and the four bits must not overflow. */
		if (visit.outcome == NC_RATE_SLIP || !slip)
			limited = 0;
	}
	visit.word = (__u64)now << 32 | tokens << 16 | limited << 12 | tag;
	return visit;
}

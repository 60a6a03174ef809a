/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generations. Every table exists twice, in arrays of maps with two slots; `control.generation` names the
 * slot in use and is read once a packet. A new state is written into the idle slot, then the word flips.
 */
#pragma once

#include "limits.h"
#include "network.h"
#include "types.h"

struct nc_control {
	__u32 generation; /* the slot, 0 or 1, and twice the half of the overlay's words */
	__u32 answering;  /* enum nc_answering; 0: everything is passed up */
	/* The daemon's last sign of life, and what its absence means. Of the monotonic clock, in ns. */
	__u64 beat;
	__u64 stale_after; /* without a sign for so long addresses are stale; 0: never */
	__u32 stale_ttl;   /* seconds they may be kept at most then */
	__u32 reserved;
};

enum nc_answering {
	NC_ANSWERS = 1,
	NC_LIMITS_RATE = 2,   /* of replies, by the rule in nc_protocol */
	NC_LIMITS_PASSED = 4, /* queries for user space, by nc_protocol */
};

/* An address and port the daemon serves. IPv4 as ::ffff:a.b.c.d; all in network order. */
struct nc_service {
	__u64 address[2];
	__u16 port;
	__u16 reserved[3];
};

struct nc_generation {
	__u64 epoch;	   /* number of the model since the daemon started */
	__u64 digest;	   /* first 8 bytes of the model's digest */
	__u64 name_secret; /* places names in the buckets */
	__u32 bucket_mask; /* buckets - 1 */
	__u32 services;
	struct nc_service service[NC_MAX_SERVICES];
	__u32 view_prefixes;
	__u32 recents; /* the half of the recent blocks that is its location table's, 0 or 1 */
	struct nc_network view_prefix[NC_MAX_VIEW_PREFIXES]; /* of all views: which one, user space knows */
};
_Static_assert(sizeof(struct nc_control) == 32, "layout");
_Static_assert(sizeof(struct nc_service) == 24, "layout");
_Static_assert(sizeof(struct nc_generation) == 40 + 24 * NC_MAX_SERVICES + 32 * NC_MAX_VIEW_PREFIXES, "layout");

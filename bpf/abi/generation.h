/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generations. Every table is an array of maps with two slots. `control.generation` names the slot in use; the program
 * reads it once for each packet. User space writes new state into the idle slot, then flips the word.
 */
#pragma once

#include "limits.h"
#include "network.h"
#include "types.h"

struct nc_control {
	__u32 generation; /* bit 0: the slot; bit 1: the buffer index of the overlay (overlay.h) */
	__u32 answering;  /* enum nc_answering; 0: every packet is passed to the kernel */
	/* The daemon's heartbeat, and what happens without it. Nanoseconds of the monotonic clock. */
	__u64 beat;
	__u64 stale_after; /* age of the heartbeat at which node states are stale; 0: never */
	__u32 stale_ttl;   /* TTL limit for addresses then, in seconds */
	__u32 reserved;
};

enum nc_answering {
	NC_ANSWERS = 1,
	NC_LIMITS_RATE = 2,   /* response rate limiting, by the rule in nc_protocol */
	NC_LIMITS_PASSED = 4, /* a budget for queries to user space, by nc_protocol */
};

/* An address and port that the daemon serves, in network order; IPv4 as ::ffff:a.b.c.d. */
struct nc_service {
	__u64 address[2];
	__u16 port;
	__u16 reserved[3];
};

struct nc_generation {
	__u64 epoch;	   /* number of the model since the daemon started */
	__u64 digest;	   /* first 8 bytes of the model's digest */
	__u64 name_secret; /* key of the hash that assigns names to buckets */
	__u32 bucket_mask; /* buckets - 1 */
	__u32 services;
	struct nc_service service[NC_MAX_SERVICES];
	__u32 view_prefixes;
	__u32 recents; /* buffer index in the location cache (recent.h) that belongs to its location table */
	struct nc_network
		view_prefix[NC_MAX_VIEW_PREFIXES]; /* of all views; user space knows which network is in which view */
};
_Static_assert(sizeof(struct nc_control) == 32, "layout");
_Static_assert(sizeof(struct nc_service) == 24, "layout");
_Static_assert(sizeof(struct nc_generation) == 40 + 24 * NC_MAX_SERVICES + 32 * NC_MAX_VIEW_PREFIXES, "layout");

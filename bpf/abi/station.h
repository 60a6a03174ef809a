/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The host as a station of its networks: which frames are for it, and which senders no reply may go to. The daemon
 * writes this whenever an interface or an address changes; while it is away, what it wrote last holds.
 */
#pragma once

#include "types.h"

#define NC_MAX_INTERFACES 16
#define NC_MAX_OWN	  256 /* own addresses and broadcast addresses that are known */

/* An interface that the program runs on. */
struct nc_interface {
	__u64 index;   /* 0: the end of the list */
	__u64 address; /* of its link, 6 bytes as they stand in a frame, and two zero bytes */
};

struct nc_own {
	__u64 address[2]; /* network order; IPv4 as ::ffff:a.b.c.d */
};

struct nc_station {
	struct nc_interface interface[NC_MAX_INTERFACES];
	__u64 filter; /* a bit for each own address, by nc_own_bit: most senders are passed over by this word alone */
	__u64 count;
	struct nc_own own[NC_MAX_OWN]; /* the host's addresses, and its networks' broadcast addresses */
};
_Static_assert(sizeof(struct nc_station) == 16 * NC_MAX_INTERFACES + 16 + 16 * NC_MAX_OWN, "layout");

/* The bit of an address in the filter. */
static __always_inline __u64 nc_own_bit(__u64 high, __u64 low)
{
	return 1ULL << ((high ^ low) * 0x9e3779b97f4a7c15ULL >> 58);
}

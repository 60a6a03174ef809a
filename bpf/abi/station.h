/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The host's own addresses: which frames are for it, and which senders must not get a reply. The daemon writes this
 * whenever an interface or an address changes. While it is away, the last state remains in use.
 */
#pragma once

#include "types.h"

#define NC_MAX_INTERFACES 16
#define NC_MAX_OWN	  256 /* own and broadcast addresses */

/* An interface that the program is attached to. */
struct nc_interface {
	__u64 index;   /* 0: the end of the list */
	__u64 address; /* link address: 6 bytes in wire order, and two zero bytes */
};

struct nc_own {
	__u64 address[2]; /* network order; IPv4 as ::ffff:a.b.c.d */
};

struct nc_station {
	struct nc_interface interface[NC_MAX_INTERFACES];
	__u64 filter; /* a bit for each address, by nc_own_bit: this word alone rules out most senders */
	__u64 count;
	struct nc_own own[NC_MAX_OWN]; /* addresses of the host, and broadcast addresses of its networks */
};
_Static_assert(sizeof(struct nc_station) == 16 * NC_MAX_INTERFACES + 16 + 16 * NC_MAX_OWN, "layout");

/* The bit of an address in the filter. */
static __always_inline __u64 nc_own_bit(__u64 high, __u64 low)
{
	return 1ULL << ((high ^ low) * 0x9e3779b97f4a7c15ULL >> 58);
}

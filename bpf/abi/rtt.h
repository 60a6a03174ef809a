/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Round-trip times of closed connections. The program in bpf/rtt counts them, and user space drains the counts.
 *
 * A cell is (network, time bucket) -> number of connections. No address is stored: the network is the client's /24 or
 * /48, and stays in the map only until user space drains it.
 */
#pragma once

#include "location.h"

#define NC_RTT_PORTS	 16    /* of services */
#define NC_RTT_CELLS	 65536 /* networks times buckets, between two drains */
#define NC_RTT_V4_PREFIX 24
#define NC_RTT_V6_PREFIX 48

/* Time buckets: sixteen for each doubling, so that the middle of a bucket is within 3.2 % of every time in it. */
#define NC_RTT_STEP_BITS 4
#define NC_RTT_FLOOR	 16U	    /* microseconds; shorter times count as this */
#define NC_RTT_CEILING	 0x3ffffffU /* 67 s; longer times count as this */
#define NC_RTT_BUCKETS	 (22U << NC_RTT_STEP_BITS)

struct nc_rtt_settings {
	__u32 network_namespace; /* inode number of the namespace whose services are measured */
	__u32 ports;
	__u16 port[NC_RTT_PORTS]; /* in host order */
};
_Static_assert(sizeof(struct nc_rtt_settings) == 40, "layout");

struct nc_rtt_key {
	__u64 network; /* as nc_address.hi: IPv4 is in the upper 32 bits */
	__u32 family;
	__u32 bucket;
};
_Static_assert(sizeof(struct nc_rtt_key) == 16, "layout");

/* What happened to connections to the ports. */
enum nc_rtt_counter {
	NC_RTT_COUNTED,
	NC_RTT_UNMEASURED, /* closed before a time was measured */
	NC_RTT_LOST,	   /* the map was full */
	NC_RTT_COUNTERS
};

/* The bucket of a time in microseconds. */
static __always_inline __u32 nc_rtt_bucket(__u32 microseconds)
{
	__u32 x = microseconds, doublings = 0;

	if (x < NC_RTT_FLOOR)
		x = NC_RTT_FLOOR;
	if (x > NC_RTT_CEILING)
		x = NC_RTT_CEILING;
	for (__u32 shift = 16; shift; shift >>= 1) {
		if (x >> (shift + NC_RTT_STEP_BITS)) {
			x >>= shift;
			doublings += shift;
		}
	}
	/* x is 16 to 31 now; its lower 4 bits are the step. */
	return (doublings << NC_RTT_STEP_BITS) + x - (1U << NC_RTT_STEP_BITS);
}

/* The shortest time in a bucket, in microseconds. */
static __always_inline __u32 nc_rtt_bucket_start(__u32 bucket)
{
	__u32 step = bucket & ((1U << NC_RTT_STEP_BITS) - 1);

	return (step + (1U << NC_RTT_STEP_BITS)) << (bucket >> NC_RTT_STEP_BITS);
}

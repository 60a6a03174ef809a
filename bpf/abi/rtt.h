/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Round-trip times of connections that closed, as the program of bpf/rtt counts them and user space takes them away.
 *
 * A cell is (network, bucket of time) -> connections. No address is kept: the network is the client's /24 or /48, and
 * stays in the map until the next fold only.
 */
#pragma once

#include "location.h"

#define NC_RTT_PORTS	 16    /* of services */
#define NC_RTT_CELLS	 65536 /* networks times buckets between two folds */
#define NC_RTT_V4_PREFIX 24
#define NC_RTT_V6_PREFIX 48

/* Buckets of time: sixteen to each doubling, so that a bucket's middle is within 3.2 % of what it holds. */
#define NC_RTT_STEP_BITS 4
#define NC_RTT_FLOOR	 16U	    /* microseconds; less counts as that */
#define NC_RTT_CEILING	 0x3ffffffU /* 67 s; more counts as that */
#define NC_RTT_BUCKETS	 (22U << NC_RTT_STEP_BITS)

struct nc_rtt_settings {
	__u32 network_namespace; /* whose services, by the number of its inode */
	__u32 ports;
	__u16 port[NC_RTT_PORTS]; /* in the host's order */
};
_Static_assert(sizeof(struct nc_rtt_settings) == 40, "layout");

struct nc_rtt_key {
	__u64 network; /* as nc_address.hi: IPv4 stands in the upper 32 bits */
	__u32 family;
	__u32 bucket;
};
_Static_assert(sizeof(struct nc_rtt_key) == 16, "layout");

/* What became of connections to the ports. */
enum nc_rtt_counter {
	NC_RTT_COUNTED,
	NC_RTT_UNMEASURED, /* closed before a time was known */
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
	/* x is 16 to 31 now: its lower bits are the step. */
	return (doublings << NC_RTT_STEP_BITS) + x - (1U << NC_RTT_STEP_BITS);
}

/* The least time of a bucket, in microseconds. */
static __always_inline __u32 nc_rtt_bucket_start(__u32 bucket)
{
	__u32 step = bucket & ((1U << NC_RTT_STEP_BITS) - 1);

	return (step + (1U << NC_RTT_STEP_BITS)) << (bucket >> NC_RTT_STEP_BITS);
}

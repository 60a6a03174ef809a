/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the server speaks, apart from what it knows: cookies, its identifier, rate limits. One record a generation,
 * written into the idle slot like every table. What says "declined" is left to user space.
 */
#pragma once

#include "limits.h"
#include "network.h"
#include "siphash.h"
#include "types.h"

#define NC_MAX_COOKIE_SECRETS 8
#define NC_NSID_BYTES	      128
#define NC_NSID_WORDS	      17 /* of the option: code, length and at most 128 bytes */
#define NC_MAX_EXEMPT	      16 /* networks whose replies are not limited */

/* Seconds that a server cookie may be old, and may be ahead; after which it is renewed (RFC 9018 section 4.3). */
#define NC_COOKIE_MAX_AGE     3600
#define NC_COOKIE_MAX_LEAD    300
#define NC_COOKIE_RENEWAL_AGE 1800
#define NC_COOKIE_VERSION     1 /* RFC 9018 section 4.1 */

/* What the program does about an option of the query. */
enum nc_option_use {
	NC_OPTION_IGNORED = 0, /* as one that nobody knows */
	NC_OPTION_DECLINED,
	NC_OPTION_ANSWERED,
};

struct nc_rate_rule {
	__u64 secret;	  /* nobody can aim at another's bucket */
	__u32 per_second; /* 1 to 65,535; 0: replies are not limited */
	__u8 slip;	  /* 0 to 10 */
	__u8 dry_run;	  /* 1: counts and changes nothing */
	__u8 v4_prefix;	  /* 0 to 32 */
	__u8 v6_prefix;	  /* 0 to 128 */
	__u32 exempt_count;
	__u32 errors_per_second; /* of error replies, whatever `per_second` and `dry_run` say; 0: not limited, in tests
				  */
	struct nc_network exempt[NC_MAX_EXEMPT];
};

struct nc_protocol {
	__u8 cookies; /* enum nc_option_use */
	__u8 requires_cookie;
	__u8 secrets;
	__u8 nsid;	      /* enum nc_option_use */
	__u8 declines_tagged; /* 1: frames with VLAN tags */
	__u8 declines_cut;    /* 1: queries whose reply would be cut */
	__u8 passed_dry_run;
	__u8 reserved;
	__u32 nsid_length;				     /* of the option, with code and length */
	__u32 passed_per_second;			     /* queries passed up by one CPU; 0: all */
	struct nc_siphash_key secret[NC_MAX_COOKIE_SECRETS]; /* the first makes cookies, all verify */
	__u64 nsid_option[NC_NSID_WORDS];		     /* zero-padded */
	struct nc_rate_rule rate;
};
_Static_assert(sizeof(struct nc_rate_rule) == 24 + 32 * NC_MAX_EXEMPT, "layout");
_Static_assert(sizeof(struct nc_protocol) ==
		       16 + 16 * NC_MAX_COOKIE_SECRETS + 8 * NC_NSID_WORDS + 24 + 32 * NC_MAX_EXEMPT,
	       "layout");
_Static_assert(4 + NC_NSID_BYTES <= 8 * NC_NSID_WORDS, "an identifier fits");

/*
 * The clock: nanoseconds since 1970 are the kernel's coarse monotonic ones, masked, and the offset. Written by the
 * daemon, once a second; without it the offset holds as long as nobody sets the clock. A mask of 0 stops the clock, for
 * tests.
 */
struct nc_clock {
	__u64 mask;
	__u64 offset;
};

/* What one processor passed up in a second. */
struct nc_passed {
	__u32 second;
	__u32 count;
};

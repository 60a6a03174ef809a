/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Protocol options, independent of the data served: cookies, NSID, rate limits. There is one record for each
 * generation, written into the idle slot like every table. User space answers queries with what is "declined" here.
 */
#pragma once

#include "limits.h"
#include "network.h"
#include "siphash.h"
#include "types.h"

#define NC_MAX_COOKIE_SECRETS 8
#define NC_NSID_BYTES	      128
#define NC_NSID_WORDS	      17 /* of the option: code, length and at most 128 bytes */
#define NC_MAX_EXEMPT	      16 /* networks exempt from the rate limit */

/* Seconds: maximum age of a server cookie, maximum lead, age of renewal (RFC 9018 section 4.3). */
#define NC_COOKIE_MAX_AGE     3600
#define NC_COOKIE_MAX_LEAD    300
#define NC_COOKIE_RENEWAL_AGE 1800
#define NC_COOKIE_VERSION     1 /* RFC 9018 section 4.1 */

/* What the program does with an option of the query. */
enum nc_option_use {
	NC_OPTION_IGNORED = 0, /* like an unknown option */
	NC_OPTION_DECLINED,
	NC_OPTION_ANSWERED,
};

struct nc_rate_rule {
	__u64 secret;	  /* keeps attackers from choosing whose bucket they collide with */
	__u32 per_second; /* 1 to 65,535; 0: replies are not limited */
	__u8 slip;	  /* 0 to 10 */
	__u8 dry_run;	  /* 1: count only, limit nothing */
	__u8 v4_prefix;	  /* 0 to 32 */
	__u8 v6_prefix;	  /* 0 to 128 */
	__u32 exempt_count;
	__u32 errors_per_second; /* for error replies, whatever `per_second` and `dry_run` say; 0: no limit, in tests */
	struct nc_network exempt[NC_MAX_EXEMPT];
};

struct nc_protocol {
	__u8 cookies; /* enum nc_option_use */
	__u8 requires_cookie;
	__u8 secrets;
	__u8 nsid;	      /* enum nc_option_use */
	__u8 declines_tagged; /* 1: pass frames with VLAN tags to user space */
	__u8 declines_cut;    /* 1: pass queries to user space if the reply would be truncated */
	__u8 passed_dry_run;
	__u8 reserved;
	__u32 nsid_length;	 /* of the option, including code and length */
	__u32 passed_per_second; /* queries that one CPU passes to user space; 0: no limit */
	struct nc_siphash_key secret[NC_MAX_COOKIE_SECRETS]; /* the first one makes cookies, all verify them */
	__u64 nsid_option[NC_NSID_WORDS];		     /* zero-padded */
	struct nc_rate_rule rate;
};
_Static_assert(sizeof(struct nc_rate_rule) == 24 + 32 * NC_MAX_EXEMPT, "layout");
_Static_assert(sizeof(struct nc_protocol) ==
		       16 + 16 * NC_MAX_COOKIE_SECRETS + 8 * NC_NSID_WORDS + 24 + 32 * NC_MAX_EXEMPT,
	       "layout");
_Static_assert(4 + NC_NSID_BYTES <= 8 * NC_NSID_WORDS, "NSID fits");

/*
 * The clock: nanoseconds since 1970 = (the kernel's coarse monotonic clock & mask) + offset. The daemon writes this
 * once a second. While it is away the offset stays right until the system clock is set. A mask of 0 stops the clock,
 * for tests.
 */
struct nc_clock {
	__u64 mask;
	__u64 offset;
};

/* Queries that one CPU passed to user space in a second. */
struct nc_passed {
	__u32 second;
	__u32 count;
};

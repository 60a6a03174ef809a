/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the generator counts. */
#pragma once

#include <linux/types.h>

struct tally {
	__u64 sent;
	__u64 replies;	/* DNS messages with QR from port 53 */
	__u64 answers;	/* of these: no error, at least one record */
	__u64 held;	/* times the window was full */
	__u64 given_up; /* queries without a reply when the window had been full for GIVE_UP_NS */
	__u64 window;	/* queries in flight at most; set by the loader */
	__u64 gap_ns;	/* from one query to the next at least; set by the loader */
	__u64 varies;	/* enum variation; set by the loader */
	__u64 stamp_at; /* where the answered address stands in a reply's frame; 0: nobody asks; set by the loader */
	__u64 watches;	/* slot of the node whose word is watched, plus one; 0: none; set by the loader */
};

/* What is new in every query, beside what the workload draws. */
enum variation {
	VARIES_LABEL = 1,  /* the first eight letters of the name */
	VARIES_SOURCE = 2, /* the IPv4 address it comes from: any there is */
};

#define GIVE_UP_NS 5000000ULL

/* Replies to it are the generator's; others on the same interface go their way. */
#define CLIENT_PORT 40000

/* Addresses of which the last answer's time is kept: 198.18.0.0/16, by their last two bytes. */
#define STAMPS 65536
/* The last of them has when the word of a slot was seen changed. */
#define WORD_STAMP (STAMPS - 1)

/* NC_MAX_NODES of bpf/abi/limits.h */
#define NODES 4096

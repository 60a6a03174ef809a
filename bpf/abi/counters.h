/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters, kept for each CPU. Those below NC_VERDICTS are verdicts, and every packet counts as exactly one: first the
 * replies transmitted, then the packets dropped, then the packets passed to the kernel. The others count events.
 */
#pragma once

#include "types.h"

enum nc_counter {
	NC_ANSWERED = 0, /* transmitted */
	NC_TRUNCATED,	 /* transmitted with TC, because the client accepts no more */
	NC_BAD_COOKIE,	 /* transmitted as BADCOOKIE */
	NC_RATE_SLIPPED, /* transmitted with TC: the client network exceeds its rate */
	NC_TRANSMITTED,
	NC_RATE_DROPPED = NC_TRANSMITTED, /* no reply, for the same reason */
	NC_PASS_DROPPED,		  /* for user space, but beyond its budget */
	NC_DROPPED,
	NC_PASS_OTHER = NC_DROPPED, /* not for a served address and port over UDP */
	NC_PASS_FRAME,		    /* malformed, or a fragment without ports */
	NC_PASS_OFF,		    /* disabled, or the tables are not filled yet */
	NC_PASS_HEADER,	   /* not a plain query with one question. From here on, the packet is for a served port */
	NC_PASS_QUESTION,  /* malformed or long name, type or class not answered here */
	NC_PASS_EDNS,	   /* an option, a version or a form not handled here */
	NC_PASS_NAME,	   /* a name or type that user space answers */
	NC_PASS_SIGNED,	   /* DNSSEC records requested, and there are some */
	NC_PASS_EXHAUSTED, /* no usable candidate in the lists, or a rule that user space applies */
	NC_PASS_LENGTH,	   /* longer than the client accepts, or than the program writes */
	NC_PASS_ROOM,	   /* the frame could not grow */
	NC_PASS_TABLE,	   /* a table's entry is missing: the tables are damaged */
	NC_PASS_VIEW,	   /* the name's answer depends on views, and the sender is in one */
	NC_PASS_DATAGRAM,  /* IP options, extension headers, first fragment, wrong length, or an address or port that no
			      client has */
	NC_VERDICTS,
	NC_GREW_TAIL = NC_VERDICTS,
	NC_GREW_HEAD,
	NC_ALL_DOWN,	    /* answered by the rule for no usable node */
	NC_STATIC,	    /* answered with zone data, the same for every client */
	NC_RECORDS,	    /* answered with tailored records other than addresses */
	NC_RATE_WOULD_DROP, /* in a dry run */
	NC_RATE_WOULD_SLIP,
	NC_PASS_WOULD_DROP,
	NC_COUNTERS,
};

#ifndef __bpf__
/* Name of a counter as exported, or null. */
static inline const char *nc_counter_name(__u32 counter)
{
	static const char *const names[NC_COUNTERS] = {
		[NC_ANSWERED] = "answered",
		[NC_TRUNCATED] = "truncated",
		[NC_BAD_COOKIE] = "bad_cookie",
		[NC_RATE_SLIPPED] = "rate_slipped",
		[NC_RATE_DROPPED] = "rate_dropped",
		[NC_PASS_DROPPED] = "pass_dropped",
		[NC_PASS_OTHER] = "pass_other",
		[NC_PASS_FRAME] = "pass_frame",
		[NC_PASS_OFF] = "pass_off",
		[NC_PASS_HEADER] = "pass_header",
		[NC_PASS_QUESTION] = "pass_question",
		[NC_PASS_EDNS] = "pass_edns",
		[NC_PASS_NAME] = "pass_name",
		[NC_PASS_SIGNED] = "pass_signed",
		[NC_PASS_EXHAUSTED] = "pass_exhausted",
		[NC_PASS_LENGTH] = "pass_length",
		[NC_PASS_ROOM] = "pass_room",
		[NC_PASS_TABLE] = "pass_table",
		[NC_PASS_VIEW] = "pass_view",
		[NC_PASS_DATAGRAM] = "pass_datagram",
		[NC_GREW_TAIL] = "grew_tail",
		[NC_GREW_HEAD] = "grew_head",
		[NC_ALL_DOWN] = "all_down",
		[NC_STATIC] = "static",
		[NC_RECORDS] = "records",
		[NC_RATE_WOULD_DROP] = "rate_would_drop",
		[NC_RATE_WOULD_SLIP] = "rate_would_slip",
		[NC_PASS_WOULD_DROP] = "pass_would_drop",
	};

	return counter < NC_COUNTERS ? names[counter] : 0;
}
#endif

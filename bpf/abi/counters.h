/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters, one per CPU each. Up to NC_VERDICTS they are verdicts: every packet the program sees adds one to
 * exactly one of them: replies that were transmitted, packets that were dropped, then those passed up. Behind them
 * stand events.
 */
#pragma once

#include "types.h"

enum nc_counter {
	NC_ANSWERED = 0, /* transmitted */
	NC_TRUNCATED,	 /* the same, cut to what the client takes */
	NC_BAD_COOKIE,	 /* BADCOOKIE */
	NC_RATE_SLIPPED, /* cut: the client network has had too many */
	NC_TRANSMITTED,
	NC_RATE_DROPPED = NC_TRANSMITTED, /* no reply, for the same reason */
	NC_PASS_DROPPED,		  /* for user space, and one too many for its budget */
	NC_DROPPED,
	NC_PASS_OTHER = NC_DROPPED, /* not for a served address and port over UDP */
	NC_PASS_FRAME,		    /* broken, or a fragment that does not tell its ports */
	NC_PASS_OFF,		    /* switched off, or not filled yet */
	NC_PASS_HEADER,		    /* not a plain query of one question; from here on: for our service */
	NC_PASS_QUESTION,	    /* malformed or long name, type or class not answered here */
	NC_PASS_EDNS,		    /* an option, version or shape not handled here */
	NC_PASS_NAME,		    /* name or type left to user space */
	NC_PASS_SIGNED,		    /* signatures are asked for, and there are some */
	NC_PASS_EXHAUSTED,	    /* no usable candidate in the lists, or a rule left to user space */
	NC_PASS_LENGTH,		    /* longer than the client takes, or than the program writes */
	NC_PASS_ROOM,		    /* the frame could not grow */
	NC_PASS_TABLE,		    /* a table's entry is missing: the tables are damaged */
	NC_PASS_VIEW,		    /* the name's answer depends on views, and the sender is in one */
	NC_PASS_DATAGRAM, /* IP options, extension headers, first fragment, length mismatch, no client's address or port
			   */
	NC_VERDICTS,
	NC_GREW_TAIL = NC_VERDICTS,
	NC_GREW_HEAD,
	NC_ALL_DOWN,	    /* answered by the all-down rule */
	NC_STATIC,	    /* answered alike for every client */
	NC_RECORDS,	    /* answered with tailored records other than addresses */
	NC_RATE_WOULD_DROP, /* of a dry run */
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

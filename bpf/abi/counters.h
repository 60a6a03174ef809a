/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters, one per CPU each. Up to NC_VERDICTS they are verdicts: every packet the program sees adds one to
 * exactly one of them. Behind it stand events.
 */
#pragma once

#include "types.h"

enum nc_counter {
	NC_ANSWERED = 0,   /* transmitted */
	NC_PASS_OTHER,	   /* not for a served address and port over untagged UDP */
	NC_PASS_FRAME,	   /* IPv4 options, fragment, length mismatch, unusable source */
	NC_PASS_OFF,	   /* switched off, or not filled yet */
	NC_PASS_HEADER,	   /* not a plain query of one question */
	NC_PASS_QUESTION,  /* malformed or long name, type or class not answered here */
	NC_PASS_EDNS,	   /* an option, version or shape not handled here */
	NC_PASS_NAME,	   /* name or type left to user space */
	NC_PASS_SIGNED,	   /* signatures are asked for, and there are some */
	NC_PASS_EXHAUSTED, /* no usable candidate in the lists, or a rule left to user space */
	NC_PASS_LENGTH,	   /* longer than every client takes */
	NC_PASS_ROOM,	   /* the frame could not grow */
	NC_PASS_TABLE,	   /* a table's entry is missing: the tables are damaged */
	NC_PASS_VIEW,	   /* the name's answer depends on views, and the sender is in one */
	NC_VERDICTS,
	NC_GREW_TAIL = NC_VERDICTS,
	NC_GREW_HEAD,
	NC_ALL_DOWN, /* answered by the all-down rule */
	NC_STATIC,   /* answered alike for every client */
	NC_COUNTERS,
};

#ifndef __bpf__
/* Name of a counter as exported, or null. */
static inline const char *nc_counter_name(__u32 counter)
{
	static const char *const names[NC_COUNTERS] = {
		[NC_ANSWERED] = "answered",	  [NC_PASS_OTHER] = "pass_other",
		[NC_PASS_FRAME] = "pass_frame",	  [NC_PASS_OFF] = "pass_off",
		[NC_PASS_HEADER] = "pass_header", [NC_PASS_QUESTION] = "pass_question",
		[NC_PASS_EDNS] = "pass_edns",	  [NC_PASS_NAME] = "pass_name",
		[NC_PASS_SIGNED] = "pass_signed", [NC_PASS_EXHAUSTED] = "pass_exhausted",
		[NC_PASS_LENGTH] = "pass_length", [NC_PASS_ROOM] = "pass_room",
		[NC_PASS_TABLE] = "pass_table",	  [NC_PASS_VIEW] = "pass_view",
		[NC_GREW_TAIL] = "grew_tail",	  [NC_GREW_HEAD] = "grew_head",
		[NC_ALL_DOWN] = "all_down",	  [NC_STATIC] = "static",
	};

	return counter < NC_COUNTERS ? names[counter] : 0;
}
#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Answers that are the same for every client, rendered in user space: directory -> by type -> answer. Both are
 * 64-byte cells of one array; cell 0 is nobody's, so that 0 can say "user space answers".
 */
#pragma once

#include "limits.h"
#include "types.h"

#define NC_DIRECTORY_TYPES 10

struct nc_directory {
	__u16 type[NC_DIRECTORY_TYPES];	  /* 0: unused */
	__u32 answer[NC_DIRECTORY_TYPES]; /* cell, 0: user space */
	__u32 other;			  /* the answer for all other types */
};
_Static_assert(sizeof(struct nc_directory) == NC_CELL_BYTES, "layout");

enum nc_answer_flag {
	NC_ANSWER_AUTHORITATIVE = 1,
	NC_ANSWER_UNSIGNED = 2,	 /* who sets DO gets another, from user space */
	NC_ANSWER_EXPLAINED = 4, /* who sends OPT is told `error` too; there are no records then */
	NC_ANSWER_MADE = 8,	 /* of nodes, by the recipe that its body is (recipes.h) */
};

#define NC_ANSWER_FIRST_BYTES 48
#define NC_ANSWER_MORE_CELLS  5
#define NC_ANSWER_BYTES	      368 /* of the body */
#define NC_ANSWER_POINTERS    32

/*
 * What stands behind the question, without OPT. Where there are pointers that move, a cell with their places follows,
 * and then the rest of the body, zero-padded. Of a longer body than NC_ANSWER_BYTES nothing is there: its length tells
 * to whom it is not sent.
 */
struct nc_answer {
	__u16 length;  /* of the body; 0xffff: more than any client takes */
	__u8 flags;    /* enum nc_answer_flag */
	__u8 code;     /* RCODE */
	__u16 answers; /* records, in network order */
	__u16 authorities;
	__u16 additionals;
	__u8 pointers;	     /* compression pointers that are given less the length of the question's name */
	__u8 response_class; /* enum nc_response_class */
	__u16 least;	     /* who has no room for so many bytes of it gets nothing but TC; 0: others get a part too */
	/*
	 * Of NC_ANSWER_EXPLAINED the INFO-CODE (RFC 8914 section 4), in network order; of others the word that tells
	 * which answer counts, 0: this one.
	 */
	__u16 error_or_overlay;
	__u64 body[NC_ANSWER_FIRST_BYTES / 8];
};
#define NC_ANSWER_OVERLAY_AT 14 /* bytes */
_Static_assert(sizeof(struct nc_answer) == NC_CELL_BYTES, "layout");
_Static_assert(__builtin_offsetof(struct nc_answer, error_or_overlay) == NC_ANSWER_OVERLAY_AT, "layout");

_Static_assert(NC_ANSWER_BYTES == NC_ANSWER_FIRST_BYTES + NC_ANSWER_MORE_CELLS * NC_CELL_BYTES, "layout");

struct nc_answer_pointers {
	__u16 at[NC_ANSWER_POINTERS]; /* offset in the body */
};
_Static_assert(sizeof(struct nc_answer_pointers) == NC_CELL_BYTES, "layout");

struct nc_answer_more {
	__u64 body[NC_CELL_BYTES / 8];
};
_Static_assert(sizeof(struct nc_answer_more) == NC_CELL_BYTES, "layout");

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Answers that are the same for every client, rendered in user space. A name leads to a directory, which has an answer
 * for each type. Both are 64-byte cells of one array. Cell 0 is reserved: an index of 0 means that user space answers.
 */
#pragma once

#include "limits.h"
#include "types.h"

#define NC_DIRECTORY_TYPES 10

struct nc_directory {
	__u16 type[NC_DIRECTORY_TYPES];	  /* 0: unused */
	__u32 answer[NC_DIRECTORY_TYPES]; /* cell; 0: user space answers */
	__u32 other;			  /* the answer for all other types */
};
_Static_assert(sizeof(struct nc_directory) == NC_CELL_BYTES, "layout");

enum nc_answer_flag {
	NC_ANSWER_AUTHORITATIVE = 1,
	NC_ANSWER_UNSIGNED = 2,	 /* queries with DO get a signed answer, from user space */
	NC_ANSWER_EXPLAINED = 4, /* no records; with OPT the reply carries an extended error */
	NC_ANSWER_MADE = 8,	 /* the body is a recipe, by which the answer is composed from nodes (recipes.h) */
};

#define NC_ANSWER_FIRST_BYTES 48
#define NC_ANSWER_MORE_CELLS  5
#define NC_ANSWER_BYTES	      368 /* of the body */
#define NC_ANSWER_POINTERS    32

/*
 * The part of a message that follows the question, without OPT: the body. If compression pointers depend on the length
 * of the question's name, the next cell lists their offsets. The cells behind that hold the rest of the body,
 * zero-padded. A body longer than NC_ANSWER_BYTES is not stored; its length still decides which clients get TC.
 */
struct nc_answer {
	__u16 length;  /* of the body; 0xffff: more than any client accepts */
	__u8 flags;    /* enum nc_answer_flag */
	__u8 code;     /* RCODE */
	__u16 answers; /* records, in network order */
	__u16 authorities;
	__u16 additionals;
	__u8 pointers;	     /* compression pointers to which the length of the question's name is added */
	__u8 response_class; /* enum nc_response_class */
	__u16 least; /* bytes of the first RRset: a client without room for them gets only TC; 0: user space decides */
	/*
	 * With NC_ANSWER_EXPLAINED the INFO-CODE (RFC 8914 section 4), in network order. Otherwise the overlay word
	 * that names the current version of this answer; 0: this one is current.
	 */
	__u16 error_or_overlay;
	__u64 body[NC_ANSWER_FIRST_BYTES / 8];
};
#define NC_ANSWER_OVERLAY_AT 14 /* bytes */
_Static_assert(sizeof(struct nc_answer) == NC_CELL_BYTES, "layout");
_Static_assert(__builtin_offsetof(struct nc_answer, error_or_overlay) == NC_ANSWER_OVERLAY_AT, "layout");

_Static_assert(NC_ANSWER_BYTES == NC_ANSWER_FIRST_BYTES + NC_ANSWER_MORE_CELLS * NC_CELL_BYTES, "layout");

struct nc_answer_pointers {
	__u16 at[NC_ANSWER_POINTERS]; /* offsets in the body */
};
_Static_assert(sizeof(struct nc_answer_pointers) == NC_CELL_BYTES, "layout");

struct nc_answer_more {
	__u64 body[NC_CELL_BYTES / 8];
};
_Static_assert(sizeof(struct nc_answer_more) == NC_CELL_BYTES, "layout");

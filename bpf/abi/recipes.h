/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Answers with other records than addresses that are made of nodes: CNAME, SRV,
 * HTTPS and SVCB. A recipe is an answer of flag NC_ANSWER_MADE, whose body says
 * how nodes are chosen and where the parts are. What it leads to stands in the
 * same array, and is shared by all names that say the same.
 */
#pragma once

#include "answers.h"
#include "limits.h"
#include "names.h"
#include "select.h"
#include "types.h"

enum nc_recipe_kind {
	NC_RECIPE_ALIAS = 0, /* the answer of the node chosen, by the first steering */
	NC_RECIPE_SERVICES,  /* SRV: a record of every usable node */
	NC_RECIPE_BINDING,   /* HTTPS or SVCB: one record, with the addresses of the
				nodes chosen, by family */
};

enum nc_recipe_flag {
	NC_RECIPE_BY_VIEW = 1,	    /* senders in a view get other records, from user space */
	NC_RECIPE_ADDRESSES_V4 = 2, /* the addresses of a binding stand in the
				       additional section too: those of type A */
	NC_RECIPE_ADDRESSES_V6 = 4, /* and of AAAA */
};

struct nc_recipe {
	struct nc_rule rule;
	struct nc_name_steering by[2]; /* for IPv4 and IPv6; an alias: the first, of
					  nodes of either family */
	__u32 parts;		       /* first cell; a binding: the answer that its record begins with */
	__u16 first;		       /* an alias: cells of parts that are left out, since no slot of
					  theirs has one */
	__u16 count;		       /* an alias: cells of parts; services: nodes */
	__u8 kind;		       /* enum nc_recipe_kind */
	__u8 flags;		       /* enum nc_recipe_flag */
	__u8 reserved[2];
};
_Static_assert(sizeof(struct nc_recipe) == NC_ANSWER_FIRST_BYTES, "it is an answer's body");

/*
 * An alias's parts: by slot the cell of the answer, 0: user space. Its first
 * record is the alias, of a TTL to be filled in.
 */
#define NC_PARTS_PER_CELL 16
struct nc_part_cell {
	__u32 answer[NC_PARTS_PER_CELL];
};
_Static_assert(sizeof(struct nc_part_cell) == NC_CELL_BYTES, "layout");

#define NC_RECORD_TTL_AT 6 /* behind the owner's pointer, type and class */

/*
 * A service's parts, four cells a node: its SRV record, then the addresses of its host, where that is served here; each
 * zero-padded, and in its second cell only as far as it is longer than the first.
 */
#define NC_MAX_MEMBERS	      16
#define NC_MEMBER_CELLS	      4
#define NC_MEMBER_FIRST_WORDS 7
#define NC_MEMBER_BYTES	      120
#define NC_BESIDE_AT	      2 /* cells */
#define NC_BESIDE_FIRST_WORDS 6
#define NC_BESIDE_BYTES	      112
#define NC_BESIDE_POINTERS    12
#define NC_BESIDE_TO_QUESTION 0x80 /* a pointer into the question's name; others lead to where these records begin */

struct nc_member {
	__u16 slot;
	__u16 length; /* of the record, whose TTL is to be filled in */
	__u32 reserved;
	__u64 record[NC_MEMBER_FIRST_WORDS];
};
_Static_assert(sizeof(struct nc_member) == NC_CELL_BYTES, "layout");
_Static_assert(NC_MEMBER_BYTES == 8 * NC_MEMBER_FIRST_WORDS + NC_CELL_BYTES, "layout");

struct nc_beside {
	__u8 length; /* 0: there are none */
	__u8 records;
	__u8 pointers;
	__u8 reserved;
	__u8 at[NC_BESIDE_POINTERS]; /* where pointers stand that are given less the length of the question's name */
	__u64 body[NC_BESIDE_FIRST_WORDS];
};
_Static_assert(sizeof(struct nc_beside) == NC_CELL_BYTES, "layout");
_Static_assert(NC_BESIDE_BYTES == 8 * NC_BESIDE_FIRST_WORDS + NC_CELL_BYTES, "layout");
_Static_assert(NC_BESIDE_BYTES < NC_BESIDE_TO_QUESTION, "an offset and the bit are one byte");

#define NC_RECORD_LENGTH_AT 10 /* behind the TTL */

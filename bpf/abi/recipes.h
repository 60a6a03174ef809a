/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Recipes: answers that are assembled from nodes for each query, with records other than addresses, and with the
 * addresses of names that a wildcard covers. A recipe is an answer with the flag NC_ANSWER_MADE; its body says how
 * nodes are chosen, and where the parts of the answer are. The parts are cells of the same array, and names with equal
 * recipes share them.
 */
#pragma once

#include "answers.h"
#include "limits.h"
#include "names.h"
#include "select.h"
#include "types.h"

enum nc_recipe_kind {
	NC_RECIPE_BY_NODE = 0, /* CNAME, TXT, MX: the answer prepared for the node that by[0] chooses */
	NC_RECIPE_SERVICES,    /* SRV: the records of all usable nodes */
	NC_RECIPE_BINDING,     /* HTTPS or SVCB: one record, with the addresses of the nodes chosen for each family */
	NC_RECIPE_ADDRESSES,   /* A or AAAA: the addresses of the nodes chosen for the family asked for */
};

enum nc_recipe_flag {
	NC_RECIPE_BY_VIEW = 1,	    /* user space answers senders in a view: their records differ */
	NC_RECIPE_ADDRESSES_V4 = 2, /* HTTPS, SVCB: A records go into the additional section */
	NC_RECIPE_ADDRESSES_V6 = 4, /* the same for AAAA */
};

struct nc_recipe {
	struct nc_rule rule;
	struct nc_name_steering by[2]; /* for IPv4 and IPv6; by node: by[0], with nodes of both families */
	__u32 parts; /* first cell of the parts; HTTPS, SVCB: the answer with the record up to its hints */
	__u16 first; /* by node: number of part cells omitted at the start, because none of their slots has a part */
	__u16 count; /* by node: number of part cells; SRV: number of nodes */
	__u8 kind;   /* enum nc_recipe_kind */
	__u8 flags;  /* enum nc_recipe_flag */
	__u8 reserved[2];
};
_Static_assert(sizeof(struct nc_recipe) == NC_ANSWER_FIRST_BYTES, "a recipe is the body of an answer");

/*
 * Parts of a recipe by node: for each node slot the cell of an answer; 0: user space answers. The first RRset of the
 * answer is the node's, whose TTL the program fills in. It has one record if it is a CNAME.
 */
#define NC_PARTS_PER_CELL  16
#define NC_MAX_SET_RECORDS 8
struct nc_part_cell {
	__u32 answer[NC_PARTS_PER_CELL];
};
_Static_assert(sizeof(struct nc_part_cell) == NC_CELL_BYTES, "layout");

#define NC_RECORD_TTL_AT 6 /* offset: behind owner pointer, type and class */

/*
 * Parts of an SRV recipe, four cells for each node: two for its SRV record, and two for the address records of its
 * target if that name is served here. Both are zero-padded, and use the second cell only for what the first one cannot
 * hold.
 */
#define NC_MAX_MEMBERS	      16
#define NC_MEMBER_CELLS	      4
#define NC_MEMBER_FIRST_WORDS 7
#define NC_MEMBER_BYTES	      120
#define NC_BESIDE_AT	      2 /* cells */
#define NC_BESIDE_FIRST_WORDS 6
#define NC_BESIDE_BYTES	      112
#define NC_BESIDE_POINTERS    12
#define NC_BESIDE_TO_QUESTION \
	0x80 /* a pointer into the question's name; other pointers are relative to the start of these records */

struct nc_member {
	__u16 slot;
	__u16 length; /* of the record, whose TTL the program fills in */
	__u32 reserved;
	__u64 record[NC_MEMBER_FIRST_WORDS];
};
_Static_assert(sizeof(struct nc_member) == NC_CELL_BYTES, "layout");
_Static_assert(NC_MEMBER_BYTES == 8 * NC_MEMBER_FIRST_WORDS + NC_CELL_BYTES, "layout");

struct nc_beside {
	__u8 length; /* 0: no addresses */
	__u8 records;
	__u8 pointers;
	__u8 reserved;
	__u8 at[NC_BESIDE_POINTERS]; /* offsets of compression pointers, to which the program adds their base */
	__u64 body[NC_BESIDE_FIRST_WORDS];
};
_Static_assert(sizeof(struct nc_beside) == NC_CELL_BYTES, "layout");
_Static_assert(NC_BESIDE_BYTES == 8 * NC_BESIDE_FIRST_WORDS + NC_CELL_BYTES, "layout");
_Static_assert(NC_BESIDE_BYTES < NC_BESIDE_TO_QUESTION, "an offset and the bit fit in one byte");

#define NC_RECORD_LENGTH_AT 10 /* offset: behind the TTL */

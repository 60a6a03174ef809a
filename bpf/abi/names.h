/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Name table: a wire name in lower case -> what to answer. Built whole in user space, and changed afterwards by
 * the overlay alone: buckets of eight (tag, entry) pairs in one cache line, two buckets a name, then the entry,
 * where the full name is compared: one line, where the name is no longer than most. The type is not in the key: one
 * probe tells what exists. What many names share, their profile says.
 */
#pragma once

#include "hash.h"
#include "limits.h"
#include "select.h"
#include "types.h"

#define NC_BUCKET_SLOTS 8

struct nc_name_bucket {
	__u32 tag[NC_BUCKET_SLOTS];   /* 0: empty */
	__u32 entry[NC_BUCKET_SLOTS]; /* index in the table of entries */
};
_Static_assert(sizeof(struct nc_name_bucket) == NC_CELL_BYTES, "layout");

#define NC_NO_TABLE 0xffff

/* Where a name's candidates of one family are; `table` NC_NO_TABLE: nothing is chosen, `own` answers. */
struct nc_name_steering {
	__u32 classes; /* first cell of the place -> class map */
	__u32 lists;   /* cell of class 0's list */
	__u16 table;   /* index into the census */
	__u16 reserved;
};

/* How the addresses of tailored names are chosen: one for all names that agree. */
struct nc_profile {
	struct nc_rule rule;
	struct nc_name_steering v4; /* type A */
	struct nc_name_steering v6; /* type AAAA */
	__u8 reserved[28];
};
_Static_assert(sizeof(struct nc_profile) == NC_CELL_BYTES, "layout");

#define NC_ENTRY_WORDS 6 /* of the name, in its first cell */
#define NC_NO_PROFILE  0xffff

enum nc_name_flag {
	NC_NAME_BY_VIEW = 1, /* senders in a view get other addresses, from user space */
};

/*
 * A name's first cell. Words 6-13 of a long name stand in the cell behind it, the others in the one behind that. With
 * every name the table has all names above it up to the root.
 */
struct nc_name_entry {
	__u16 profile;		    /* cell of the profile; NC_NO_PROFILE: no addresses are chosen */
	__u8 length;		    /* of the wire name */
	__u8 flags;		    /* enum nc_name_flag */
	__u32 own;		    /* cell of the directory for what is not chosen, 0: user space answers */
	__u32 below;		    /* the same for names below that are not in the table */
	__u16 type;		    /* whose answer stands right behind the directory, 0: none */
	__u16 overlay;		    /* the word that tells which entry counts, 0: this one */
	__u64 name[NC_ENTRY_WORDS]; /* lower case, zero-padded */
};
#define NC_NAME_OVERLAY_AT 14 /* bytes */
_Static_assert(sizeof(struct nc_name_entry) == NC_CELL_BYTES, "layout");
_Static_assert(__builtin_offsetof(struct nc_name_entry, overlay) == NC_NAME_OVERLAY_AT, "layout");

#define NC_REST_WORDS 8
struct nc_name_rest {
	__u64 name[NC_REST_WORDS];
};
_Static_assert(sizeof(struct nc_name_rest) == NC_CELL_BYTES, "layout");
_Static_assert(NC_NAME_WORDS <= NC_ENTRY_WORDS + 4 * NC_REST_WORDS, "a name takes five cells at most");

/* Place -> class: 32 to a cell. */
#define NC_CLASSES_PER_CELL 32
struct nc_class_cell {
	__u16 class[NC_CLASSES_PER_CELL];
};
_Static_assert(sizeof(struct nc_class_cell) == NC_CELL_BYTES, "layout");

static __always_inline __u32 nc_name_tag(__u64 hash)
{
	return (__u32)(hash >> 32) | 1;
}

static __always_inline __u32 nc_name_first_bucket(__u64 hash, __u32 mask)
{
	return (__u32)hash & mask;
}

static __always_inline __u32 nc_name_second_bucket(__u64 hash, __u32 mask)
{
	return (__u32)nc_mix(hash) & mask;
}

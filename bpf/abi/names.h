/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Name table: a wire name in lower case -> what to answer. User space builds it as a whole; later only the overlay
 * changes it. A bucket is one cache line of eight (tag, entry) pairs, and a name is in one of two buckets. The entry
 * holds the full name for comparison; unless the name is long, it is one cache line. The type is not part of the key,
 * so one probe finds out what exists at a name. What many names have in common is in their profile.
 */
#pragma once

#include "hash.h"
#include "limits.h"
#include "select.h"
#include "types.h"

#define NC_BUCKET_SLOTS 8

struct nc_name_bucket {
	__u32 tag[NC_BUCKET_SLOTS];   /* 0: empty */
	__u32 entry[NC_BUCKET_SLOTS]; /* cell in `name_entries` */
};
_Static_assert(sizeof(struct nc_name_bucket) == NC_CELL_BYTES, "layout");

#define NC_NO_TABLE 0xffff

/* Where the candidates of one family are. With NC_NO_TABLE in `table` nothing is chosen: `own` answers. */
struct nc_name_steering {
	__u32 classes; /* first cell of the place -> class map */
	__u32 lists;   /* cell of class 0's list */
	__u16 table;   /* index into the census */
	__u16 words;   /* enum nc_word_set: by which words its nodes are chosen */
};

/* How addresses of tailored names are chosen. Names with the same settings share a profile. */
struct nc_profile {
	struct nc_rule rule;
	struct nc_name_steering v4; /* type A */
	struct nc_name_steering v6; /* type AAAA */
	__u8 reserved[28];
};
_Static_assert(sizeof(struct nc_profile) == NC_CELL_BYTES, "layout");

#define NC_ENTRY_WORDS 6 /* words of the name in its first cell */
#define NC_NO_PROFILE  0xffff

enum nc_name_flag {
	NC_NAME_BY_VIEW = 1, /* user space answers senders in a view: their addresses differ */
};

/*
 * The first cell of a name. Words 6-13 of a long name are in the next cell, and so on. The table contains all ancestors
 * of every name in it, up to the root.
 */
struct nc_name_entry {
	__u16 profile;		    /* cell of the profile; NC_NO_PROFILE: no addresses are chosen */
	__u8 length;		    /* of the wire name */
	__u8 flags;		    /* enum nc_name_flag */
	__u32 own;		    /* cell of the directory for other types; 0: user space answers */
	__u32 below;		    /* the same for names below this one that are not in the table */
	__u16 type;		    /* the type whose answer is in the cell behind the directory; 0: none */
	__u16 overlay;		    /* the overlay word that names the current version; 0: this one is current */
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

/* Place -> class, 32 in a cell. */
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

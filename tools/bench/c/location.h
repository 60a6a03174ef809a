/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Addresses to look up in the location table. Shared by the BPF programs and their loader. */
#pragma once

#include <linux/types.h>

#define ADDRESSES (1 << 20)

/* Of an array of 32 MiB. */
#define LINES (1 << 19)

struct line {
	__u64 word[8];
};

/* Of one family: the upper 64 bits of each, as the table sees it (`bpf/abi/location.h`). */
struct addresses {
	__u64 hi[ADDRESSES];
	__u32 family; /* NC_FAMILY_V4 or NC_FAMILY_V6 */
	__u32 found;  /* by the last run: how many have a place */
	__u64 none;   /* 0: joins a look-up to the one before, for nothing */
};

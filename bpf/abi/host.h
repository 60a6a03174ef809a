/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* User space's side of the shared code: a table is memory and a number of cells. */
#pragma once

#include "limits.h"
#include "types.h"

struct nc_host_table {
	const void *cells;
	__u32 count;
};

static __always_inline const void *nc_cell(const struct nc_host_table *table, __u32 index)
{
	return index < table->count ? (const char *)table->cells + (__u64)index * NC_CELL_BYTES : 0;
}

#define NC_TABLE const struct nc_host_table *

/* Access to shared words from user space: whole 8-byte stores and loads, which no reader sees in part. */
static __always_inline void nc_store_word(__u64 *at, __u64 value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static __always_inline __u64 nc_load_word(const __u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

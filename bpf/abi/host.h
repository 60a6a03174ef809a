/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What user space supplies to the shared code: a table is memory and a number of cells. */
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

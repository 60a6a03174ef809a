/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What stands in the place of names and answers that have changed since the tables were filled. */
#pragma once

#include "step.h"

/* The cell that a link leads to. */
NC_STEP __u32 overlaid_cell(__u32 slot, __u32 half, __u32 link)
{
	__u64 word;

	slot &= NC_GENERATIONS - 1;
	link &= NC_OVERLAY_WORDS - 1;
	word = NC_READ_ONCE(overlay.word[slot][link]);
	return nc_overlay_cell(word, half);
}

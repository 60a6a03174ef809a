/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The overlay (abi/overlay.h): replacements for names and answers that changed after the tables were filled. */
#pragma once

#include "step.h"

/* The cell that the overlay word `link` currently names. */
NC_STEP __u32 current_cell(__u32 slot, __u32 buffer, __u32 link)
{
	__u64 word;

	slot &= NC_GENERATIONS - 1;
	link &= NC_OVERLAY_WORDS - 1;
	word = NC_READ_ONCE(overlay.word[slot][link]);
	return nc_overlay_cell(word, buffer);
}

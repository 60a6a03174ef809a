/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Overlay: what has changed in a generation since its tables were filled. A name's entry, or an answer, that something
 * else stands for now leads to a word of two cells; `control.generation` says which of the two counts. So a change of
 * many names is one store for a packet, and what has not changed costs it nothing.
 *
 *     write new cells ─► words: the idle halves ─► links, new names ─► control: the other half ─► wait for readers
 *        (unseen)           (not read yet)          (mean the same)      (all at once)           ─► words: both halves
 *
 * Cells that nothing leads to any more are used again after the wait alone. A name is entered once and stays: where a
 * half says NC_NO_CELL there is no such name.
 */
#pragma once

#include "limits.h"
#include "types.h"

#define NC_NO_CELL 0xffffffffU /* beyond every table */

/* Words of each generation: cell in the table of the half 0 below, of the half 1 above. Word 0 is nobody's. */
struct nc_overlay {
	__u64 word[NC_GENERATIONS][NC_OVERLAY_WORDS];
};
_Static_assert(!(NC_OVERLAY_WORDS & (NC_OVERLAY_WORDS - 1)) && NC_OVERLAY_WORDS <= 65536, "a link has 16 bits");

static __always_inline __u32 nc_overlay_cell(__u64 word, __u32 half)
{
	return half ? (__u32)(word >> 32) : (__u32)word;
}

static __always_inline __u64 nc_overlay_word(__u32 low, __u32 high)
{
	return (__u64)high << 32 | low;
}

/* The control word's lower half: the slot in use, and the half of the words. */
static __always_inline __u32 nc_generation_word(__u32 slot, __u32 half)
{
	return (slot & 1) | (half & 1) << 1;
}

static __always_inline __u32 nc_generation_slot(__u32 word)
{
	return word & (NC_GENERATIONS - 1);
}

static __always_inline __u32 nc_generation_half(__u32 word)
{
	return word >> 1 & 1;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Overlay: changes in a generation after its tables were filled. A name entry or an answer that was replaced links to
 * an overlay word, which names two cells, one in each buffer. `control.generation` has the buffer index, 0 or 1, that
 * packets use. So one store makes a change of many names visible, and names that have not changed cost nothing.
 *
 *     write new cells ─► words: idle buffer ─► links, new names ─► flip the buffer index ─► wait for readers
 *        (unreachable)      (not read yet)      (old meaning)         (all at once)        ─► words: both buffers
 *
 * Cells that are no longer reachable are reused after the wait, not before. A name that was added stays in its bucket;
 * if its word says NC_NO_CELL, the name does not exist.
 */
#pragma once

#include "limits.h"
#include "types.h"

#define NC_NO_CELL 0xffffffffU /* beyond every table */

/* Words of each generation. Lower 32 bits: the cell in buffer 0; upper: the cell in buffer 1. Word 0 is reserved. */
struct nc_overlay {
	__u64 word[NC_GENERATIONS][NC_OVERLAY_WORDS];
};
_Static_assert(!(NC_OVERLAY_WORDS & (NC_OVERLAY_WORDS - 1)) && NC_OVERLAY_WORDS <= 65536, "a link has 16 bits");

static __always_inline __u32 nc_overlay_cell(__u64 word, __u32 buffer)
{
	return buffer ? (__u32)(word >> 32) : (__u32)word;
}

static __always_inline __u64 nc_overlay_word(__u32 low, __u32 high)
{
	return (__u64)high << 32 | low;
}

/* The value of `control.generation`: the slot in use, and the buffer index of the overlay. */
static __always_inline __u32 nc_generation_word(__u32 slot, __u32 buffer)
{
	return (slot & 1) | (buffer & 1) << 1;
}

static __always_inline __u32 nc_generation_slot(__u32 word)
{
	return word & (NC_GENERATIONS - 1);
}

static __always_inline __u32 nc_generation_half(__u32 word)
{
	return word >> 1 & 1;
}

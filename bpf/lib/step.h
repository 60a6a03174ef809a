/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Separate steps. A step that few packets take is a function of its own: the verifier walks it once, and not again on
 * every path that leads to it. It knows nothing of the caller's checks: numbers arrive without bounds, and pointers may
 * be null. So a step either begins with begin_step, or checks the pointers it is given.
 */
#pragma once

#include "../maps.h"

#define NC_STEP __attribute__((noinline))

/*
 * Limits `slot` to a generation, and looks up its element of `map` and the query. Returns the element, or 0 where
 * either is missing.
 */
static __always_inline void *begin_step(void *map, __u32 *slot, struct query **q)
{
	__u32 zero = 0;
	void *element;

	*slot &= NC_GENERATIONS - 1;
	element = bpf_map_lookup_elem(map, slot);
	*q = bpf_map_lookup_elem(&scratch, &zero);
	return *q ? element : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Counters, one of each for every CPU. */
#pragma once

#include "../maps.h"

static __always_inline void count(__u32 counter)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &counter);

	if (value)
		(*value)++;
}

/* Counts an answer that leads to a node; a slot beyond the table counts nothing. */
static __always_inline void count_node(__u32 slot)
{
	__u64 *value = bpf_map_lookup_elem(&node_answers, &slot);

	if (value)
		(*value)++;
}

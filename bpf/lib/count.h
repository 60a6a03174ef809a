/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Counters, one for each CPU. */
#pragma once

#include "../maps.h"

static __always_inline void count(__u32 counter)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &counter);

	if (value)
		(*value)++;
}

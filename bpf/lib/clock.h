/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The time in seconds, which both paths derive in the same way. */
#pragma once

#include "../maps.h"

/* Seconds since 1970, modulo 2^32. The coarse clock needs no hardware access; a tick of error does not matter. */
static __always_inline __u32 clock_second(void)
{
	return ((bpf_ktime_get_coarse_ns() & NC_READ_ONCE(clock.mask)) + NC_READ_ONCE(clock.offset)) / 1000000000;
}

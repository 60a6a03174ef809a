/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The watchdog: nobody tells a program without a daemon of nodes that fail. If the operator wants it so, what
 * it answers is then kept for a short time only, so that clients follow as soon as somebody does.
 */
#pragma once

#include "../maps.h"

/* The TTL of addresses, now. Off, it costs a load of the line that `generation` was read from. */
static __always_inline __u32 fresh_ttl(__u32 ttl)
{
	__u64 after = NC_READ_ONCE(control.stale_after);
	__u32 limit;

	if (!after || (__s64)(bpf_ktime_get_coarse_ns() - NC_READ_ONCE(control.beat)) < (__s64)after)
		return ttl;
	limit = NC_READ_ONCE(control.stale_ttl);
	return ttl < limit ? ttl : limit;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Stale node states. While the daemon is away, the program does not learn that a node has failed. If the operator asks
 * for it (`fast_path.stale`), answers then get a short TTL, so that clients notice soon after the daemon is back.
 */
#pragma once

#include "../maps.h"

/* Limits the TTL of addresses if the states are stale. Disabled, it costs one load from a cached line. */
static __always_inline __u32 fresh_ttl(__u32 ttl)
{
	__u64 after = NC_READ_ONCE(control.stale_after);
	__u32 limit;

	if (!after || (__s64)(bpf_ktime_get_coarse_ns() - NC_READ_ONCE(control.beat)) < (__s64)after)
		return ttl;
	limit = NC_READ_ONCE(control.stale_ttl);
	return ttl < limit ? ttl : limit;
}

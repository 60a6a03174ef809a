/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The sender of the query. */
#pragma once

#include "../query.h"

/* The sender's address in the form that tables and hashes use. */
static __always_inline struct nc_address sender(const struct query *q)
{
	struct nc_address address = {};

	address.family = q->frame.family;
	if (q->frame.family == NC_FAMILY_V4) {
		address.hi = (__u64)bpf_ntohl(q->frame.client[1] >> 32) << 32;
	} else {
		address.hi = bpf_be64_to_cpu(q->frame.client[0]);
		address.lo = bpf_be64_to_cpu(q->frame.client[1]);
	}
	return address;
}

/* Whether the sender is in one of the `count` networks; `most` is the capacity of the array. */
static __always_inline int sent_from(const struct nc_network *networks, __u32 count, __u32 most, const struct query *q)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < most; i++) {
		const struct nc_network *network = &networks[i];

		if (i >= count)
			break;
		/* An IPv6 network that contains ::ffff:0:0/96 does not contain IPv4 senders. */
		if (q->frame.family == NC_FAMILY_V4 && (__u32)network->mask[1] != 0xffffffff)
			continue;
		if (((q->frame.client[0] & network->mask[0]) == network->address[0]) &
		    ((q->frame.client[1] & network->mask[1]) == network->address[1]))
			return 1;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Composes A and AAAA records of nodes. They are assembled in registers and stored as whole words of the tail, which is
 * read again right away, by words: a load that spans several smaller stores stalls until all of them are done.
 */
#pragma once

#include "../maps.h"
#include "reply.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the words below are in little-endian order");

/* Writes one address record at `out`, 16 or 28 bytes. */
static __always_inline void write_address(__u8 *out, const struct nc_node *node, __u16 type, __be32 ttl)
{
	__u64 first = bpf_htons(NC_OWNER_POINTER) | (__u64)bpf_htons(type) << 16 | (__u64)bpf_htons(NC_IN) << 32 |
		      (__u64)(ttl & 0xffff) << 48;
	__u64 second = ttl >> 16;

	*(__u64 *)out = first;
	if (type == NC_TYPE_A) {
		*(__u64 *)(out + 8) = second | (__u64)bpf_htons(NC_V4_BYTES) << 16 | (__u64)load_u32(node->v4) << 32;
	} else {
		__u64 high = load_u64(node->v6), low = load_u64(node->v6 + 8);

		*(__u64 *)(out + 8) = second | (__u64)bpf_htons(NC_V6_BYTES) << 16 | high << 32;
		*(__u64 *)(out + 16) = high >> 32 | low << 32;
		*(__u64 *)(out + 24) = low >> 32;
	}
}

/* Writes the records of the nodes chosen. Returns their size, or 0 if a table is damaged. */
static __always_inline __u32 write_addresses(struct query *q, __u32 slot)
{
	void *table = bpf_map_lookup_elem(&nodes, &slot);
	__u32 at = 0, size = NC_RECORD_BYTES + (q->question.type == NC_TYPE_A ? NC_V4_BYTES : NC_V6_BYTES);
	__be32 ttl = bpf_htonl(q->decision.chosen.ttl);

	if (!table)
		return 0;
	begin_reply(q, NC_FROM_NODES, q->decision.chosen.count, 0);
	q->reply.node = q->decision.chosen.slot[0];
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_ANSWERS; i++) {
		const struct nc_node *node;

		if (i >= q->decision.chosen.count)
			break;
		node = nc_cell(table, q->decision.chosen.slot[i]);
		if (!node)
			return 0;
		write_address(&q->reply.tail[at & NC_TAIL_MASK], node, q->question.type, ttl);
		at += size;
	}
	return at;
}

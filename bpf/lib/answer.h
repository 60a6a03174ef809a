/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Composes the reply over the query's own bytes: header, question as received, addresses, OPT. */
#pragma once

#include "../maps.h"
#include "edns.h"

#define NC_RECORD_BYTES	 12	/* owner pointer, type, class, TTL, length */
#define NC_OWNER_POINTER 0xc00c /* to the question's name */

/* The address records; returns the offset behind them, or 0. */
static __always_inline __u32 write_addresses(struct query *q, void *table)
{
	__u32 at = q->question_end, size = q->type == 1 ? 4 : 16;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_ANSWERS; i++) {
		__u8 *out = &q->message[at & NC_MESSAGE_MASK];
		const struct nc_node *node;

		if (i >= q->chosen.count)
			break;
		node = nc_cell(table, q->chosen.slot[i]);
		if (!node)
			return 0;
		*(__be16 *)out = bpf_htons(NC_OWNER_POINTER);
		*(__be16 *)(out + 2) = bpf_htons(q->type);
		*(__be16 *)(out + 4) = bpf_htons(1);
		*(__be32 *)(out + 6) = bpf_htonl(q->chosen.ttl);
		*(__be16 *)(out + 10) = bpf_htons(size);
		if (size == 4) {
			*(__u32 *)(out + 12) = *(__u32 *)node->v4;
		} else {
			*(__u64 *)(out + 12) = *(__u64 *)node->v6;
			*(__u64 *)(out + 20) = *(__u64 *)(node->v6 + 8);
		}
		at += NC_RECORD_BYTES + size;
	}
	return at;
}

/* The OPT record, with the subnet echoed and its scope; returns the offset behind it. */
static __always_inline __u32 write_opt(struct query *q, __u32 at)
{
	__u8 *out = &q->message[at & NC_MESSAGE_MASK];
	__u32 bytes = (q->subnet_source + 7) / 8;

	*out = 0;
	*(__be16 *)(out + 1) = bpf_htons(41);
	*(__be16 *)(out + 3) = bpf_htons(NC_UDP_PAYLOAD);
	*(__be32 *)(out + 5) = bpf_htonl((__u32)q->dnssec_ok << 15);
	*(__be16 *)(out + 9) = 0;
	if (!q->has_subnet)
		return at + NC_OPT_BYTES;
	*(__be16 *)(out + 9) = bpf_htons(NC_SUBNET_BYTES + bytes);
	*(__be16 *)(out + 11) = bpf_htons(NC_OPTION_SUBNET);
	*(__be16 *)(out + 13) = bpf_htons(4 + bytes);
	*(__be16 *)(out + 15) = bpf_htons(q->subnet.family);
	out[17] = q->subnet_source;
	out[18] = q->subnet_scope;
	/* Sixteen bytes whatever its length: the message ends behind the ones that count. */
	*(__be64 *)(out + 19) = bpf_cpu_to_be64(q->subnet.hi);
	*(__be64 *)(out + 27) = bpf_cpu_to_be64(q->subnet.lo);
	return at + NC_OPT_BYTES + NC_SUBNET_BYTES + bytes;
}

/* The whole message; returns its length, or 0 when a table is damaged. */
static __always_inline __u32 write_reply(struct query *q, __u32 slot)
{
	void *table = bpf_map_lookup_elem(&nodes, &slot);
	__u32 at;

	if (!table)
		return 0;
	q->message[2] = 0x84 | (q->message[2] & 1); /* QR, AA, RD as asked */
	q->message[3] = 0;
	q->message[7] = q->chosen.count;
	at = write_addresses(q, table);
	if (!at)
		return 0;
	if (q->has_opt)
		at = write_opt(q, at);
	/* The checksum reads whole words. */
	*(__u32 *)&q->message[at & NC_MESSAGE_MASK] = 0;
	return at;
}

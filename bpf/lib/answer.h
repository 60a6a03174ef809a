/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Composes what the reply has behind the question: addresses, then OPT. Everything is put together in
 * registers and stored by whole words of the tail, because it is read again at once, by words: a load that
 * spans several smaller stores waits for all of them.
 */
#pragma once

#include "../maps.h"
#include "edns.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words below are written in little-endian order");

#define NC_RECORD_BYTES	 12	/* owner pointer, type, class, TTL, length */
#define NC_OWNER_POINTER 0xc00c /* to the question's name */

/* One address record at `out`: 16 or 28 bytes. */
static __always_inline void write_address(__u8 *out, const struct nc_node *node, __u16 type, __be32 ttl)
{
	__u64 first = bpf_htons(NC_OWNER_POINTER) | (__u64)bpf_htons(type) << 16 | (__u64)bpf_htons(1) << 32 |
		      (__u64)(ttl & 0xffff) << 48;
	__u64 second = ttl >> 16;

	*(__u64 *)out = first;
	if (type == 1) {
		*(__u64 *)(out + 8) = second | (__u64)bpf_htons(4) << 16 | (__u64)load_u32(node->v4) << 32;
	} else {
		__u64 high = load_u64(node->v6), low = load_u64(node->v6 + 8);

		*(__u64 *)(out + 8) = second | (__u64)bpf_htons(16) << 16 | high << 32;
		*(__u64 *)(out + 16) = high >> 32 | low << 32;
		*(__u64 *)(out + 24) = low >> 32;
	}
}

/* The address records; returns their length, or 0 when a table is damaged. */
static __always_inline __u32 write_addresses(struct query *q, __u32 slot)
{
	void *table = bpf_map_lookup_elem(&nodes, &slot);
	__u32 at = 0, size = NC_RECORD_BYTES + (q->type == 1 ? 4 : 16);
	__be32 ttl = bpf_htonl(q->chosen.ttl);

	if (!table)
		return 0;
	q->flags = 0x84; /* QR, AA */
	q->code = 0;
	q->answers = bpf_htons(q->chosen.count);
	q->authorities = 0;
	q->additionals = 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_MAX_ANSWERS; i++) {
		const struct nc_node *node;

		if (i >= q->chosen.count)
			break;
		node = nc_cell(table, q->chosen.slot[i]);
		if (!node)
			return 0;
		write_address(&q->tail[at & NC_TAIL_MASK], node, q->type, ttl);
		at += size;
	}
	return at;
}

/*
 * The OPT record, with the subnet echoed and its scope; returns the offset behind it. What stands behind the
 * last byte that counts is zero, up to the next word.
 */
static __always_inline __u32 write_opt(struct query *q, __u32 at)
{
	__u8 *out = &q->tail[at & NC_TAIL_MASK];
	__u32 bytes = (q->subnet_source + 7) / 8;
	__u64 high = bpf_cpu_to_be64(q->subnet.hi), low = bpf_cpu_to_be64(q->subnet.lo);

	/* Root name, type, payload, extended code and version, first byte of the flags. */
	*(__u64 *)out =
		(__u64)bpf_htons(41) << 8 | (__u64)bpf_htons(NC_UDP_PAYLOAD) << 24 | (__u64)(q->dnssec_ok << 7) << 56;
	if (!q->has_subnet) {
		*(__u64 *)(out + 8) = 0;
		*(__u64 *)(out + 16) = 0;
		return at + NC_OPT_BYTES;
	}
	/* Second byte of the flags, length; option code, its length, first byte of the family. */
	*(__u64 *)(out + 8) = (__u64)bpf_htons(NC_SUBNET_BYTES + bytes) << 8 |
			      (__u64)bpf_htons(NC_OPTION_SUBNET) << 24 | (__u64)bpf_htons(4 + bytes) << 40;
	/* Second byte of the family, source, scope, address: sixteen bytes, zero behind those sent. */
	*(__u64 *)(out + 16) =
		q->subnet.family | (__u64)q->subnet_source << 8 | (__u64)q->subnet_scope << 16 | high << 24;
	*(__u64 *)(out + 24) = high >> 40 | low << 24;
	*(__u64 *)(out + 32) = low >> 40;
	*(__u64 *)(out + 40) = 0;
	return at + NC_OPT_BYTES + NC_SUBNET_BYTES + bytes;
}

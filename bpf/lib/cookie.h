/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* DNS cookies (RFC 7873) in the form of RFC 9018 section 4, which servers behind one address can share. */
#pragma once

#include "clock.h"
#include "step.h"

#define NC_COOKIE_BYTES 28 /* of the option, with a client cookie and a server cookie of RFC 9018 */

/*
 * The hash of a server cookie: over the client cookie, the first half of the server cookie (`head`), and the client's
 * address, all in wire order.
 */
NC_STEP __u64 cookie_hash(const struct query *q, __u64 k0, __u64 k1, __u64 head)
{
	struct nc_siphash s = nc_siphash_begin((struct nc_siphash_key){k0, k1});
	__u64 rest = 0;
	__u32 length = 32;

	if (!q)
		return 0;
	nc_siphash_add(&s, q->edns.cookie[0]);
	nc_siphash_add(&s, head);
	if (q->frame.family == NC_FAMILY_V4) {
		rest = q->frame.client[1] >> 32;
		length = 20;
	} else {
		nc_siphash_add(&s, q->frame.client[0]);
		nc_siphash_add(&s, q->frame.client[1]);
	}
	return nc_siphash_end(&s, rest, length);
}

/* Whether version and time in the first half of a server cookie are acceptable. `age` is its age in seconds. */
static __always_inline int cookie_in_time(__u64 head, __u32 now, __s32 *age)
{
	*age = (__s32)(now - bpf_ntohl((__u32)(head >> 32))); /* serial numbers (RFC 1982) */
	if ((head & 0xff) != NC_COOKIE_VERSION)
		return 0;
	if (*age > NC_COOKIE_MAX_AGE)
		return 0;
	return *age >= -NC_COOKIE_MAX_LEAD;
}

/*
 * Verifies the cookie at q->edns.cookie_at and writes the one for the reply: the received one if it is valid and young,
 * else a new one. The loop tries one secret at a time; its last step computes the new cookie.
 */
static __always_inline int examine_cookie(struct query *q, const struct nc_protocol *protocol)
{
	const __u8 *option = &q->message[q->edns.cookie_at & NC_MESSAGE_MASK];
	__u32 length = bpf_ntohs(load_u16(option + 2)), now = clock_second(), checks = protocol->secrets;
	__u64 head = load_u64(option + 12), hash = load_u64(option + 20), fresh;
	__s32 age;

	if (length != 8) {
		if (length < 16)
			return NC_PASS_EDNS;
		barrier_var(length);
		if (length > 40)
			return NC_PASS_EDNS;
	}
	q->edns.has_cookie = 1;
	q->edns.cookie[0] = load_u64(option + 4);
	if (length != 24 || !cookie_in_time(head, now, &age))
		checks = 0;
	fresh = NC_COOKIE_VERSION | (__u64)bpf_htonl(now) << 32;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i <= NC_MAX_COOKIE_SECRETS; i++) {
		int makes = i >= checks;
		const struct nc_siphash_key *key = &protocol->secret[makes ? 0 : i & (NC_MAX_COOKIE_SECRETS - 1)];
		__u64 made = cookie_hash(q, key->k0, key->k1, makes ? fresh : head);

		if (makes) {
			q->edns.cookie[1] = fresh;
			q->edns.cookie[2] = made;
			break;
		}
		if (made != hash)
			continue;
		q->edns.cookie_valid = 1;
		if (!i && age < NC_COOKIE_RENEWAL_AGE) {
			q->edns.cookie[1] = head;
			q->edns.cookie[2] = hash;
			break;
		}
		checks = 0;
	}
	q->edns.bad_cookie = protocol->requires_cookie && !q->edns.cookie_valid;
	return NC_CONTINUE;
}

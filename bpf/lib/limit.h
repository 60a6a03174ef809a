/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Limits: whether a complete reply is sent, truncated or dropped, and how many queries are passed to user space. */
#pragma once

#include "clock.h"
#include "count.h"
#include "options.h"
#include "reply.h"
#include "sender.h"
#include "step.h"

/*
 * Takes a token for the reply from its bucket. Returns enum nc_rate_outcome. On contention with another CPU it tries
 * again; after four attempts, the reply is sent.
 */
static __always_inline __u32 take_token(const struct nc_rate_rule *rule, __u32 per_second, const struct query *q)
{
	__u32 prefix = q->frame.family == NC_FAMILY_V4 ? rule->v4_prefix : rule->v6_prefix, now = clock_second(), place;
	__u64 key = nc_rate_key(rule->secret, nc_address_mask(sender(q), prefix), q->reply.response_class), found,
	      *bucket;

	place = nc_rate_place(key);
	bucket = bpf_map_lookup_elem(&rate_buckets, &place);
	if (!bucket)
		return NC_RATE_SEND;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 4; i++) {
		struct nc_rate_visit visit;

		found = NC_READ_ONCE(*bucket);
		visit = nc_rate_take(found, nc_rate_tag(key), now, per_second, rule->slip);
		if (__sync_val_compare_and_swap(bucket, found, visit.word) == found)
			return visit.outcome;
	}
	return NC_RATE_SEND;
}

/*
 * Applies the rate limit to the reply. Returns enum nc_rate_outcome. Error replies have a rate of their own, which a
 * dry run does not suspend; for other replies a dry run only counts.
 */
NC_STEP __u32 limit_rate(const struct query *q, __u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);
	__u32 outcome, per_second, is_error;

	if (!q || !protocol)
		return NC_RATE_SEND;
	is_error = q->reply.response_class == NC_CLASS_ERROR;
	per_second = is_error ? protocol->rate.errors_per_second : protocol->rate.per_second;
	if (!per_second)
		return NC_RATE_SEND;
	if (sent_from(protocol->rate.exempt, protocol->rate.exempt_count, NC_MAX_EXEMPT, q))
		return NC_RATE_SEND;
	outcome = take_token(&protocol->rate, per_second, q);
	if (outcome == NC_RATE_SEND || is_error || !protocol->rate.dry_run)
		return outcome;
	count(outcome == NC_RATE_SLIP ? NC_RATE_WOULD_SLIP : NC_RATE_WOULD_DROP);
	return NC_RATE_SEND;
}

/* Composes BADCOOKIE (RFC 7873 section 5.2.3). The name was not looked up, so read_name completes the checksum here. */
NC_STEP int refuse_cookie(struct query *q)
{
	if (!q)
		return NC_PASS_TABLE;
	read_name(q, 0);
	q->decision.scope = 0;
	begin_reply(q, NC_FROM_NODES, 0, 0);
	q->reply.flags = NC_FLAG_QR;
	q->reply.code = NC_RCODE_BADCOOKIE & 15;
	q->reply.extended_code = NC_RCODE_BADCOOKIE >> 4;
	q->reply.response_class = NC_CLASS_ERROR;
	q->reply.tail_length = 0;
	return NC_BAD_COOKIE;
}

/* Reduces the reply to question and OPT, with TC: the client asks again over TCP (RFC 2181 section 9). */
static __always_inline void truncate(struct query *q, __u32 verdict)
{
	q->reply.verdict = verdict;
	q->reply.flags |= NC_FLAG_TC;
	q->reply.answers = 0;
	q->reply.authorities = 0;
	q->reply.additionals = 0;
	q->reply.tail_length = 0;
}

/*
 * Whether the complete reply fits the limits of the client: 1, or 0 if it is to be truncated. Otherwise the verdict
 * with which user space gets the query.
 */
NC_STEP int fits_client(const struct query *q, __u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);
	__u32 length, limit, opt;

	if (!q || !protocol)
		return NC_PASS_TABLE;
	opt = opt_length(q, protocol);
	length = q->reply.tail_length + opt;
	limit = reply_limit(q);
	if (q->question.end + length <= limit) {
		if (q->reply.tail_length > NC_ANSWER_BYTES)
			return NC_PASS_LENGTH;
		return length <= NC_TAIL_MASK ? 1 : NC_PASS_LENGTH;
	}
	if (protocol->declines_cut)
		return NC_PASS_LENGTH;
	if (q->reply.origin == NC_FROM_NODES)
		return 0;
	/* If a part of the data fits, the resolver decides which: it drops additional data or ends a CNAME chain. */
	return q->reply.least && q->question.end + q->reply.least + opt > limit ? 0 : NC_PASS_LENGTH;
}

/*
 * Applies the limits to a reply that is complete except for OPT. NC_CONTINUE: the reply is sent, with the verdict in
 * reply.verdict, which may be another one now.
 */
static __always_inline int settle(struct query *q, __u32 slot)
{
	__u32 limited;

	if (q->edns.has_nsid || q->reply.tail_length > NC_ALWAYS_FITS_RECORDS ||
	    q->question.end + q->reply.tail_length > NC_ALWAYS_FITS) {
		int fits = fits_client(q, slot);

		if (fits > 1)
			return fits;
		if (!fits) {
			truncate(q, NC_TRUNCATED);
			q->reply.response_class = NC_CLASS_ANSWER;
		}
	}
	/* A single condition: after two in a row, the verifier would walk what follows for each. */
	limited = (NC_READ_ONCE(control.answering) & NC_LIMITS_RATE) | (q->reply.response_class == NC_CLASS_ERROR);
	barrier_var(limited);
	if (limited && !q->edns.cookie_valid) {
		__u32 outcome = limit_rate(q, slot);

		if (outcome == NC_RATE_DROP)
			return NC_RATE_DROPPED;
		if (outcome == NC_RATE_SLIP)
			truncate(q, NC_RATE_SLIPPED);
	}
	return NC_CONTINUE;
}

/*
 * Whether this CPU may pass one more query to user space in this second. The budget protects user space, which has
 * other clients and services to answer. Unused budget does not carry over.
 */
NC_STEP int may_pass_up(__u32 slot)
{
	const struct nc_protocol *protocol = bpf_map_lookup_elem(&protocols, &slot);
	__u32 zero = 0, now = bpf_ktime_get_coarse_ns() / 1000000000;
	struct nc_passed *passed = bpf_map_lookup_elem(&passed_up, &zero);

	if (!protocol || !passed || !protocol->passed_per_second)
		return 1;
	if (passed->second != now) {
		passed->second = now;
		passed->count = 0;
	}
	if (passed->count < protocol->passed_per_second) {
		passed->count++;
		return 1;
	}
	if (!protocol->passed_dry_run)
		return 0;
	count(NC_PASS_WOULD_DROP);
	return 1;
}

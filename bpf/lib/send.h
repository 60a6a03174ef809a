/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The end of every program: sends the reply, and counts the verdict. */
#pragma once

#include "count.h"
#include "limit.h"
#include "options.h"
#include "transmit.h"

/* Sends a reply with complete records and header. Returns the final verdict. */
static __always_inline int send(struct xdp_md *ctx, struct query *q, __u32 slot)
{
	int verdict;

	if ((verdict = settle(q, slot)) != NC_CONTINUE)
		return verdict;
	write_opt(q, slot);
	if ((verdict = transmit(ctx, q)) != NC_CONTINUE)
		return verdict;
	if (q->reply.verdict == NC_ANSWERED) {
		if (q->reply.origin == NC_FROM_ZONES) {
			count(NC_STATIC);
		} else {
			if (q->decision.chosen.outcome == NC_CHOSEN_ALL_DOWN)
				count(NC_ALL_DOWN);
			count_node(q->reply.node);
		}
	}
	return q->reply.verdict;
}

/* Counts the verdict, and translates it for the driver. */
static __always_inline int end(__u32 slot, int verdict)
{
	if (verdict >= NC_PASS_HEADER && (NC_READ_ONCE(control.answering) & NC_LIMITS_PASSED) && !may_pass_up(slot))
		verdict = NC_PASS_DROPPED;
	count(verdict);
	if (verdict < NC_TRANSMITTED)
		return XDP_TX;
	return verdict < NC_DROPPED ? XDP_DROP : XDP_PASS;
}

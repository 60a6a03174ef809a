/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The header of the reply. Every reply begins with begin_reply or begin_answer (template.h), which write all of it. */
#pragma once

#include "../query.h"

/* An authoritative answer with records assembled here. */
static __always_inline void begin_reply(struct query *q, enum query_origin origin, __u32 answers, __u32 additionals)
{
	q->reply.flags = NC_FLAG_QR | NC_FLAG_AA;
	q->reply.code = 0;
	q->reply.answers = bpf_htons(answers);
	q->reply.authorities = 0;
	q->reply.additionals = bpf_htons(additionals);
	q->reply.extended_code = 0;
	q->reply.has_error = 0;
	q->reply.response_class = NC_CLASS_ANSWER;
	q->reply.origin = origin;
	q->reply.node = NC_MAX_NODES;
}

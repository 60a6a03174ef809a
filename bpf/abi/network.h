/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A network of senders: IPv4 as ::ffff:a.b.c.d, in network order; `address` has no bit outside `mask`. */
#pragma once

#include "types.h"

struct nc_network {
	__u64 address[2];
	__u64 mask[2];
};
_Static_assert(sizeof(struct nc_network) == 32, "layout");

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A client network, in network order; IPv4 as ::ffff:a.b.c.d. `address` has no bits outside `mask`. */
#pragma once

#include "types.h"

struct nc_network {
	__u64 address[2];
	__u64 mask[2];
};
_Static_assert(sizeof(struct nc_network) == 32, "layout");

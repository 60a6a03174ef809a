// SPDX-License-Identifier: Apache-2.0
// The addresses of the host's interfaces (getifaddrs).
//
// Why in C: they are a linked list of structures whose type depends on their first field.
#pragma once

#include <stdint.h>

enum linux_address_kind {
	LINUX_LINK,	 // 6 bytes: the interface's own
	LINUX_OWN,	 // 16 bytes: an IP address of the host; IPv4 as ::ffff:a.b.c.d
	LINUX_BROADCAST, // 16 bytes, the same way: the broadcast address of one of its networks
};

struct linux_address {
	enum linux_address_kind kind;
	uint32_t interface; // index
	uint8_t bytes[16];
};

// Lists the addresses in the calling thread's network namespace, at most `room`, links first.
// Loopback addresses are left out. The count, or -errno.
int linux_list_addresses(struct linux_address *out, int room);

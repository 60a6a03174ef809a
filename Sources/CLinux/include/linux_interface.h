// SPDX-License-Identifier: Apache-2.0
// Properties of an interface, from its network driver (ioctl SIOCETHTOOL).
#pragma once

#include <stdint.h>

/// Counts and switches are -1 where the driver does not report them.
struct linux_interface {
	char driver[32];
	char version[32];
	int up;	      // 1 or 0
	int mtu;      // bytes
	int channels; // combined queues in use
	int most_channels;
	int receive_queues; // apart from the combined
	int ring;	    // slots of a receive ring
	int longest_ring;
	int lro; // large receive offload: 1 or 0, as the following
	int gro;
	int strips_tags;  // VLAN tags taken off at receipt
	int inserts_tags; // and put on at sending
};

/// Queries the interface in the calling thread's network namespace: 0, or -errno (-ENODEV when
/// there is none).
int linux_interface_describe(const char *name, struct linux_interface *out);

/// How many replies of XDP programs (XDP_TX) the driver could not send since it was loaded, by its own statistics
/// (`ethtool -S`): 0, or -errno (-ENODATA when the driver has no such counter).
int linux_interface_unsent(const char *name, uint64_t *unsent);

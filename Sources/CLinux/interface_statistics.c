// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * The kernel copies as many strings and values as the driver has at that moment, whatever the buffer's size. So the
 * buffers have room for far more than were counted just before. Pages that nothing is written to take no memory.
 */
#define ROOM	 65536
#define EXPECTED (ROOM / 2)

/// A counter of XDP_TX that failed, as drivers name it: rx_queue_0_xdp_tx_errors (veth), tx_queue_0_xdp_tx_drops
/// (virtio_net), rx_xdp_tx_full and rx0_xdp_tx_full (mlx5), rx_xdp_tx_errors[0] (gve).
static int is_failure(const char *name)
{
	const char *at = strstr(name, "xdp_tx");

	return at && (strstr(at, "err") || strstr(at, "drop") || strstr(at, "full"));
}

/// Whether it counts one queue: some drivers also have the sum of all queues.
static int is_of_queue(const char *name)
{
	return strpbrk(name, "0123456789") != NULL;
}

static int sum_failures(const struct ethtool_gstrings *names, const struct ethtool_stats *values, uint64_t *unsent)
{
	uint64_t sums[2] = {0, 0};
	int found[2] = {0, 0};
	const uint32_t count = names->len < values->n_stats ? names->len : values->n_stats;

	for (uint32_t i = 0; i < count; i++) {
		char name[ETH_GSTRING_LEN + 1] = {0};

		memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		if (!is_failure(name))
			continue;
		sums[is_of_queue(name)] += values->data[i];
		found[is_of_queue(name)] = 1;
	}
	if (!found[0] && !found[1])
		return -ENODATA;
	*unsent = sums[found[0] ? 0 : 1];
	return 0;
}

static int ask(int descriptor, const char *interface, void *command)
{
	struct ifreq request = {.ifr_data = command};

	strncpy(request.ifr_name, interface, sizeof(request.ifr_name) - 1);
	return ioctl(descriptor, SIOCETHTOOL, &request) ? -errno : 0;
}

static int read_statistics(int descriptor, const char *interface, uint64_t *unsent)
{
	_Alignas(struct ethtool_sset_info) char room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)] = {0};
	struct ethtool_sset_info *set = (struct ethtool_sset_info *)room; // and the count behind it
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	uint32_t count;
	int error;

	set->cmd = ETHTOOL_GSSET_INFO;
	set->sset_mask = 1ULL << ETH_SS_STATS;
	error = ask(descriptor, interface, set);

	if (error)
		return error == -ENODEV ? error : -ENODATA;
	count = set->data[0];
	if (!set->sset_mask || !count || count > EXPECTED)
		return -ENODATA;
	names = calloc(1, sizeof(*names) + (size_t)ROOM * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + (size_t)ROOM * sizeof(uint64_t));
	if (names && values) {
		*names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count};
		*values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = count};
		error = ask(descriptor, interface, names);
		if (!error)
			error = ask(descriptor, interface, values);
		if (!error)
			error = sum_failures(names, values, unsent);
	} else {
		error = -ENOMEM;
	}
	free(names);
	free(values);
	return error;
}

int linux_interface_unsent(const char *name, uint64_t *unsent)
{
	const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int error;

	if (descriptor < 0)
		return -errno;
	error = read_statistics(descriptor, name, unsent);
	close(descriptor);
	return error;
}

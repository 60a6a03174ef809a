// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int ask(int descriptor, const char *name, void *command)
{
	struct ifreq request = {.ifr_data = command};

	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	return ioctl(descriptor, SIOCETHTOOL, &request);
}

static int value_of(int descriptor, const char *name, uint32_t command)
{
	struct ethtool_value value = {.cmd = command};

	return ask(descriptor, name, &value) ? -1 : (int)value.data;
}

static int flag_of(int flags, uint32_t flag)
{
	return flags < 0 ? -1 : (flags & (int)flag) != 0;
}

static void describe_driver(int descriptor, const char *name, struct linux_interface *out)
{
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	const int flags = value_of(descriptor, name, ETHTOOL_GFLAGS);

	if (ask(descriptor, name, &driver) == 0) {
		memcpy(out->driver, driver.driver, sizeof(out->driver) - 1);
		memcpy(out->version, driver.version, sizeof(out->version) - 1);
	}
	if (ask(descriptor, name, &channels) == 0) {
		out->channels = (int)channels.combined_count;
		out->most_channels = (int)channels.max_combined;
		out->receive_queues = (int)channels.rx_count;
	}
	if (ask(descriptor, name, &ring) == 0) {
		out->ring = (int)ring.rx_pending;
		out->longest_ring = (int)ring.rx_max_pending;
	}
	out->lro = flag_of(flags, ETH_FLAG_LRO);
	out->strips_tags = flag_of(flags, ETH_FLAG_RXVLAN);
	out->inserts_tags = flag_of(flags, ETH_FLAG_TXVLAN);
	out->gro = value_of(descriptor, name, ETHTOOL_GGRO);
}

int linux_interface_describe(const char *name, struct linux_interface *out)
{
	const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};
	int error = 0;

	if (descriptor < 0)
		return -errno;
	memset(out, 0xff, sizeof(*out));
	out->driver[0] = out->version[0] = 0;
	out->driver[31] = out->version[31] = 0;
	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	if (ioctl(descriptor, SIOCGIFFLAGS, &request) == 0) {
		out->up = (request.ifr_flags & IFF_UP) != 0;
		if (ioctl(descriptor, SIOCGIFMTU, &request) == 0)
			out->mtu = request.ifr_mtu;
		describe_driver(descriptor, name, out);
	} else {
		error = -errno;
	}
	close(descriptor);
	return error;
}

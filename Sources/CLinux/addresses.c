// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <string.h>

struct list {
	struct linux_address *out;
	int room;
	int count;
};

static struct linux_address *add(struct list *list, enum linux_address_kind kind, uint32_t interface)
{
	if (list->count == list->room)
		return NULL;
	struct linux_address *entry = &list->out[list->count++];

	*entry = (struct linux_address){.kind = kind, .interface = interface};
	return entry;
}

static void add_link(struct list *list, const struct ifaddrs *found)
{
	const struct sockaddr_ll *link = (const struct sockaddr_ll *)(const void *)found->ifa_addr;

	if (link->sll_halen != 6)
		return;
	struct linux_address *entry = add(list, LINUX_LINK, (uint32_t)link->sll_ifindex);

	if (entry)
		memcpy(entry->bytes, link->sll_addr, 6);
}

static void add_v4(struct list *list, enum linux_address_kind kind, const struct sockaddr *address, uint32_t interface)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;

	if (ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET || v4->sin_addr.s_addr == INADDR_ANY)
		return;
	struct linux_address *entry = add(list, kind, interface);

	if (!entry)
		return;
	memset(entry->bytes + 10, 0xff, 2);
	memcpy(entry->bytes + 12, &v4->sin_addr, 4);
}

static void add_v6(struct list *list, const struct sockaddr *address, uint32_t interface)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;

	if (IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr))
		return;
	struct linux_address *entry = add(list, LINUX_OWN, interface);

	if (entry)
		memcpy(entry->bytes, &v6->sin6_addr, 16);
}

static void add_ip(struct list *list, const struct ifaddrs *found)
{
	const uint32_t interface = if_nametoindex(found->ifa_name);

	if (found->ifa_addr->sa_family == AF_INET6)
		return add_v6(list, found->ifa_addr, interface);
	if (found->ifa_addr->sa_family != AF_INET)
		return;
	add_v4(list, LINUX_OWN, found->ifa_addr, interface);
	if ((found->ifa_flags & IFF_BROADCAST) && found->ifa_broadaddr)
		add_v4(list, LINUX_BROADCAST, found->ifa_broadaddr, interface);
}

int linux_list_addresses(struct linux_address *out, int room)
{
	struct list list = {.out = out, .room = room};
	struct ifaddrs *all;

	if (getifaddrs(&all) != 0)
		return -errno;
	for (const struct ifaddrs *found = all; found; found = found->ifa_next) {
		if (found->ifa_addr && found->ifa_addr->sa_family == AF_PACKET)
			add_link(&list, found);
	}
	for (const struct ifaddrs *found = all; found; found = found->ifa_next) {
		if (found->ifa_addr && found->ifa_addr->sa_family != AF_PACKET)
			add_ip(&list, found);
	}
	freeifaddrs(all);
	return list.count;
}

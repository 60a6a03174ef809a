// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

_Static_assert(BPF_FS_MAGIC == 0xcafe4a11, "repeated in the header");

int linux_enter_network_namespace(int file)
{
	return setns(file, CLONE_NEWNET) ? -errno : 0;
}

int linux_usable_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1; // more than CPU_SETSIZE processors
	return CPU_COUNT(&set);
}

int linux_interface_is_up(const char *name)
{
	const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};
	int result;

	if (descriptor < 0)
		return -errno;
	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	result = ioctl(descriptor, SIOCGIFFLAGS, &request) ? -errno : (request.ifr_flags & IFF_UP) != 0;
	close(descriptor);
	return result;
}

int linux_open_link_watch(void)
{
	const int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
	};
	int error;

	if (descriptor < 0)
		return -errno;
	if (bind(descriptor, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return descriptor;
	error = errno;
	close(descriptor);
	return -error;
}

int linux_wait_for_links(int watch, int milliseconds)
{
	struct pollfd wait = {.fd = watch, .events = POLLIN};
	char message[8192];

	if (poll(&wait, 1, milliseconds) <= 0)
		return 0;
	// The content is not read: the caller checks everything anyway. A full queue counts as a change,
	// too.
	while (recv(watch, message, sizeof(message), 0) > 0 || errno == ENOBUFS)
		;
	return 1;
}

int64_t linux_file_system_magic(const char *path)
{
	struct statfs state;

	return statfs(path, &state) ? -errno : (int64_t)(uint32_t)state.f_type;
}

int linux_is_link(const char *path, int symbolic)
{
	struct stat status;

	if (lstat(path, &status))
		return -1;
	return S_ISLNK(status.st_mode) || (!symbolic && status.st_nlink > 1);
}

int linux_memory_copy(int file)
{
	ssize_t count;
	int copy, error;

	copy = memfd_create("nearcast", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	do {
		count = sendfile(copy, file, NULL, 1 << 30);
	} while (count > 0 || (count < 0 && errno == EINTR));
	error = errno;
	if (count == 0)
		return copy;
	close(copy);
	return -error;
}

int64_t linux_raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return -errno;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return -errno;
	return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_cur;
}

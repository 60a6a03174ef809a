// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
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

// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_open_process(int pid)
{
	int process = syscall(SYS_pidfd_open, pid, 0);

	return process < 0 ? -errno : process;
}

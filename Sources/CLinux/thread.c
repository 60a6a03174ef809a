// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

uint32_t linux_thread_number(void)
{
	static atomic_uint next = 1;
	static _Thread_local uint32_t number; /* one up, so that 0 is "none yet" */

	if (!number)
		number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
	return number - 1;
}

void linux_name_thread(const char *name)
{
	(void)pthread_setname_np(pthread_self(), name);
}

int linux_thread_give_way(int niceness)
{
	return setpriority(PRIO_PROCESS, 0, niceness) ? -errno : 0;
}

void linux_keep_little_memory(void)
{
	/* glibc's dynamic default, and its maximum. Setting one threshold stops glibc from adjusting both.
	 */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

void linux_trim_memory(void)
{
	malloc_trim(0);
}

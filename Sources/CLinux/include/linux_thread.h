// SPDX-License-Identifier: Apache-2.0
// Swift has no thread-local variables, and its Glibc module lacks malloc_trim, pthread_setname_np and setpriority's
// constants.
#pragma once

#include <stdint.h>

/// A number of the calling thread, from 0, in the order in which threads first ask. Constant until
/// the thread ends.
uint32_t linux_thread_number(void);

/// Names the calling thread for `ps -L` (15 bytes at most).
void linux_name_thread(const char *name);

/// Lowers the priority of only the calling thread (setpriority: on Linux, of one thread). 0, or
/// -errno.
int linux_thread_give_way(int niceness);

/// Makes the allocator return free memory at the end of a thread's arena to the system, for the
/// life of the process. By default glibc keeps up to 64 MiB there, in each arena, and malloc_trim
/// does not reach it.
void linux_keep_little_memory(void);

/// Returns free memory to the system (malloc_trim).
void linux_trim_memory(void);

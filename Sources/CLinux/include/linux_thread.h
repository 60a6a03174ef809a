// SPDX-License-Identifier: Apache-2.0
// Swift has no thread-local variables, and its Glibc module lacks malloc_trim, pthread_setname_np and setpriority's
// constants.
#pragma once

#include <stdint.h>

/// A number of the calling thread, from 0 in the order in which threads first ask; kept until the thread ends.
uint32_t linux_thread_number(void);

/// Names the calling thread as `ps -L` shows it (15 bytes at most).
void linux_name_thread(const char *name);

/// Lets the calling thread, and it alone, give way to others (setpriority: on Linux, of one thread), or -errno.
int linux_thread_give_way(int niceness);

/// Makes the allocator give back what is freed at the end of a thread's arena, for the rest of the process's life. Left
/// to itself glibc keeps up to 64 MiB there, in each arena, and malloc_trim does not reach it.
void linux_keep_little_memory(void);

/// Gives freed memory back to the system (malloc_trim).
void linux_trim_memory(void);

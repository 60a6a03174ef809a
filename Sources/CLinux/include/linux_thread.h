// SPDX-License-Identifier: Apache-2.0
// Swift has no thread-local variables, and its Glibc module has neither malloc_trim nor setpriority's constants.
#pragma once

#include <stdint.h>

/// A number of the calling thread, from 0 in the order in which threads first ask; kept until the thread ends.
uint32_t linux_thread_number(void);

/// Lets the calling thread, and it alone, give way to others (setpriority: on Linux, of one thread), or -errno.
int linux_thread_give_way(int niceness);

/// Gives freed memory back to the system (malloc_trim).
void linux_trim_memory(void);

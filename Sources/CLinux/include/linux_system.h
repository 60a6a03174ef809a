// SPDX-License-Identifier: Apache-2.0
// Calls hidden behind _GNU_SOURCE or missing from Swift's Glibc module.
#pragma once

#include <stdint.h>

/// Moves the calling thread, and it alone, to the network namespace of the open file (setns, CLONE_NEWNET).
int linux_enter_network_namespace(int file);

/// Processors that the calling thread may run on (sched_getaffinity): fewer than are online under taskset or a cpuset.
/// At least 1.
int linux_usable_processors(void);

/// Raises the number of descriptors that the process may have to what it may raise it to: the new limit, or -errno.
int64_t linux_raise_descriptor_limit(void);

/// Whether the interface of the calling thread's network namespace is up: 1, 0, or -errno.
int linux_interface_is_up(const char *name);

/// A descriptor that tells of changes to the interfaces of the calling thread's network namespace (rtnetlink(7)), or
/// -errno.
int linux_open_link_watch(void);

/// Waits for changes, at most `milliseconds`, and takes all that there are: 1, or 0 when none came. A negative watch
/// only waits.
int linux_wait_for_links(int watch, int milliseconds);

/// The magic number of the file system that holds `path` (statfs f_type), or -errno.
int64_t linux_file_system_magic(const char *path);

/// BPF_FS_MAGIC of <linux/magic.h>.
static const int64_t linux_bpf_magic = 0xcafe4a11;

/// What a path names, itself and not where it leads (lstat): 1 for a symbolic link or a file of several names, which
/// was complete when the name came; 0 for others; -1 when it is not there. `symbolic` counts symbolic links only.
int linux_is_link(const char *path, int symbolic);

/// A copy of an open regular file in memory, which nobody else writes, read from its start: a descriptor to close, or
/// -errno.
int linux_memory_copy(int file);

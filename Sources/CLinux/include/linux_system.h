// SPDX-License-Identifier: Apache-2.0
// Calls hidden behind _GNU_SOURCE or missing from Swift's Glibc module.
#pragma once

#include <stdint.h>

/// Moves only the calling thread to the network namespace of the open file (setns, CLONE_NEWNET).
int linux_enter_network_namespace(int file);

/// CPUs that the calling thread may run on (sched_getaffinity), at least 1. Fewer than are online
/// under taskset or a cpuset.
int linux_usable_processors(void);

/// Raises the process's soft limit of descriptors to its hard limit. The new limit, or -errno.
int64_t linux_raise_descriptor_limit(void);

/// Whether the interface of the calling thread's network namespace is up: 1, 0, or -errno.
int linux_interface_is_up(const char *name);

/// A descriptor that reports changes to the interfaces of the calling thread's network namespace
/// (rtnetlink(7)), or -errno.
int linux_open_link_watch(void);

/// Waits for changes, at most `milliseconds`, and consumes them: 1, or 0 when there were none. With
/// a negative watch it only waits.
int linux_wait_for_links(int watch, int milliseconds);

/// The magic number of the file system that holds `path` (statfs f_type), or -errno.
int64_t linux_file_system_magic(const char *path);

/// BPF_FS_MAGIC of <linux/magic.h>.
static const int64_t linux_bpf_magic = 0xcafe4a11;

/// The type of a path, without following it (lstat): 1 for a symbolic link or a file with several
/// names, which was complete when the name appeared; 0 for others; -1 when it does not exist.
/// `symbolic` counts symbolic links only.
int linux_is_link(const char *path, int symbolic);

/// An in-memory copy of an open regular file, from its start, that no other process can write: a
/// descriptor to close, or -errno.
int linux_memory_copy(int file);

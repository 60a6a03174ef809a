// SPDX-License-Identifier: Apache-2.0
// Processes. Functions give a descriptor, and -errno on failure.
//
// Why in C: pidfd_open(2) is called by its number, and syscall(2) is variadic.
#pragma once

// Readable once the process has ended.
int linux_open_process(int pid);

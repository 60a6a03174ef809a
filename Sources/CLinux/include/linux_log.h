// SPDX-License-Identifier: Apache-2.0
// Collects, by thread, what a C library prints through a callback with a va_list. A va_list can be
// consumed only once and differs between architectures, so it never enters Swift code.
#pragma once

#include <stdarg.h>

/// Starts collecting what this thread logs, with an empty buffer.
void linux_log_begin(void);

/// Stops collecting. The text (UTF-8, freed by the caller), or NULL when there was none.
char *linux_log_end(void);

/// Appends one formatted message if this thread collects, and drops it otherwise. Returns 0.
int linux_log_append(const char *format, va_list arguments);

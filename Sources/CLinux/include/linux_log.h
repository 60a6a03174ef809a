// SPDX-License-Identifier: Apache-2.0
// What a C library prints through a callback with a va_list, collected as text by thread. A va_list may be consumed
// only once and has a different shape on each architecture, so it never enters Swift code.
#pragma once

#include <stdarg.h>

/// Starts to collect what this thread logs, from nothing.
void linux_log_begin(void);

/// Stops collecting; the text (UTF-8, to be freed by the caller), or NULL when there was none.
char *linux_log_end(void);

/// Appends one formatted message, if this thread collects; otherwise drops it. Returns 0.
int linux_log_append(const char *format, va_list arguments);

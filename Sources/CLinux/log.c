// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <stdio.h>
#include <stdlib.h>

// Per thread: the stream that collects, its text and the text's size.
static _Thread_local FILE *stream;
static _Thread_local char *text;
static _Thread_local size_t size;

void linux_log_begin(void)
{
	free(linux_log_end());
	stream = open_memstream(&text, &size);
}

char *linux_log_end(void)
{
	char *collected;

	if (!stream)
		return NULL;
	fclose(stream);
	stream = NULL;
	collected = text;
	text = NULL;
	if (size == 0) {
		free(collected);
		return NULL;
	}
	return collected;
}

int linux_log_append(const char *format, va_list arguments)
{
	if (stream)
		vfprintf(stream, format, arguments);
	return 0;
}

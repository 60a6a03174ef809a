// Counts allocations. The test program's own malloc takes the place of the C library's for everything it is linked with,
// which glibc allows (manual, "Replacing malloc"); the memory still comes from the library, so that free needs no twin.
#include "AllocationCounter.h"

#include <stddef.h>

extern void *__libc_malloc(size_t size);

static _Thread_local unsigned long allocations;

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

unsigned long nc_allocation_count(void)
{
	return allocations;
}

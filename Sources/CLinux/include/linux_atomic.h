// SPDX-License-Identifier: Apache-2.0
// Atomic access to 64-bit words of raw memory. Swift's Atomic owns its storage; a mapped BPF array is memory that the
// kernel owns, so the operation must be given a pointer.
#pragma once

#include <stdint.h>

/// Stores `value` at `word` (8-byte aligned): everything written before is visible to who loads it with acquire order.
static inline void linux_store_release(void *word, uint64_t value)
{
	__atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
}

/// Loads the word (8-byte aligned): nothing read afterwards is older than the store that wrote it.
static inline uint64_t linux_load_acquire(const void *word)
{
	return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

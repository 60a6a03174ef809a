// SPDX-License-Identifier: Apache-2.0
// Atomic access to 64-bit words of raw memory. Swift's Atomic owns its storage, but a mapped BPF
// array is memory of the kernel, so these functions take a pointer.
#pragma once

#include <stdint.h>

/// Stores `value` at `word` (8-byte aligned). A thread that loads it with acquire order sees
/// everything written before.
static inline void linux_store_release(void *word, uint64_t value)
{
	__atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
}

/// Loads the word (8-byte aligned). Nothing read afterwards is older than the store that wrote it.
static inline uint64_t linux_load_acquire(const void *word)
{
	return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

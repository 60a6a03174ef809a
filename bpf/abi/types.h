/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Fixed-width types and attributes that read the same in the BPF program and in user space. */
#pragma once

#include <linux/types.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* One read of a word that another thread may store to at any moment. */
#define NC_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

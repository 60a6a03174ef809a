/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Fixed-width types and attributes for the BPF program and for user space. */
#pragma once

#include <linux/types.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Reads once a word that another thread may write at any time. */
#define NC_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The program in the build that counts table reads and helper calls (bpf/accesses.h). */
#define NC_COUNT_ACCESSES 1
#include "../../bpf/nearcast.bpf.c"

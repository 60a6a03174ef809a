// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The program as it is, but that it counts what it reads of tables and calls of the kernel (bpf/accesses.h). */
#define NC_COUNT_ACCESSES 1
#include "../../bpf/nearcast.bpf.c"

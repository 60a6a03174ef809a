/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Kernel interfaces, loads and stores, and table access: what all other files build on. */
#pragma once

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "accesses.h"

/*
 * Hides from the compiler what it knows about a value, so that it keeps two range checks apart. Folded into one
 * subtract and compare, they are refused by the verifiers of Linux 6.1 and 6.12.
 */
#ifndef barrier_var
#define barrier_var(var) asm volatile("" : "+r"(var))
#endif

/*
 * Whole loads and stores at any alignment, which the verifier allows where the machine supports them. With a cast of an
 * array's address in their place, the compiler would see that the array is not aligned, and access it byte by byte.
 */
static __always_inline __u16 load_u16(const void *from)
{
	return *(const __u16 *)from;
}

static __always_inline __u32 load_u32(const void *from)
{
	return *(const __u32 *)from;
}

static __always_inline __u64 load_u64(const void *from)
{
	return *(const __u64 *)from;
}

static __always_inline void store_u64(void *to, __u64 value)
{
	*(__u64 *)to = value;
}

static __always_inline void copy_mac(void *to, const void *from)
{
	*(__u32 *)to = load_u32(from);
	*(__u16 *)(to + 4) = load_u16(from + 4);
}

/* A table is an inner map; a cell is one of its elements. 0 where the index is beyond the table. */
static __always_inline const void *nc_cell(void *table, __u32 index)
{
	NC_COUNT(cells);
	return bpf_map_lookup_elem(table, &index);
}

#define NC_TABLE void *

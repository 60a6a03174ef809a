/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Kernel interfaces, and what the shared code needs to know about tables on this side. */
#pragma once

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/*
 * Hides a value's history from the compiler, so that two range checks stay two: folded into one
 * subtract-and-compare they are refused by the verifiers of 6.1 and 6.12.
 */
#ifndef barrier_var
#define barrier_var(var) asm volatile("" : "+r"(var))
#endif

/* A table is an inner map; a cell is one element. */
static __always_inline const void *nc_cell(void *table, __u32 index)
{
	return bpf_map_lookup_elem(table, &index);
}

#define NC_TABLE void *

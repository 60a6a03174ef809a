/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every map of the fast path. Tables are arrays of maps with two slots, one a generation; their inner maps
 * are made, filled and put in place by user space.
 */
#pragma once

#include "base.h"
#include "abi/abi.h"
#include "query.h"

/*
 * An array of maps over array inner maps of cells of type `cell`. The inner maps' size is set before the load
 * and is one for both slots: only then does the kernel inline look-ups in them, of which a packet needs ten.
 * `table_empty` carries the cell's type into BTF, from where inner maps take it: with an initialiser, so that it comes
 * before the table, where clang would leave the type out.
 */
#define NC_GENERATION_TABLE(table, cell)                  \
	struct table##_inner {                            \
		__uint(type, BPF_MAP_TYPE_ARRAY);         \
		__uint(max_entries, 1);                   \
		__uint(map_flags, BPF_F_MMAPABLE);        \
		__type(key, __u32);                       \
		__type(value, cell);                      \
	} table##_empty SEC(".maps") = {};                \
	struct {                                          \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); \
		__uint(max_entries, NC_GENERATIONS);      \
		__type(key, __u32);                       \
		__array(values, struct table##_inner);    \
	} table SEC(".maps")

NC_GENERATION_TABLE(locations, struct nc_location_words);
NC_GENERATION_TABLE(name_buckets, struct nc_name_bucket);
NC_GENERATION_TABLE(name_entries, struct nc_name_entry);
NC_GENERATION_TABLE(profiles, struct nc_profile);
NC_GENERATION_TABLE(answers, struct nc_answer);
NC_GENERATION_TABLE(place_classes, struct nc_class_cell);
NC_GENERATION_TABLE(lists, struct nc_list);
NC_GENERATION_TABLE(nodes, struct nc_node);

/* What is small and fixed for a generation. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NC_GENERATIONS);
	__type(key, __u32);
	__type(value, struct nc_generation);
} generations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NC_COUNTERS);
	__type(key, __u32); /* enum nc_counter */
	__type(value, __u64);
} counters SEC(".maps");

/* IPv4 blocks asked for lately, in two halves, of which each location table has one. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NC_GENERATIONS *NC_RECENT_PARTS);
	__type(key, __u32);
	__type(value, struct nc_recent);
} recent_blocks SEC(".maps");

/* How the server speaks, by generation. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NC_GENERATIONS);
	__type(key, __u32);
	__type(value, struct nc_protocol);
} protocols SEC(".maps");

/* Buckets of the rate limit, which user space counts in too: by compare and exchange, from both sides. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NC_RATE_BUCKETS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
} rate_buckets SEC(".maps");

/* What each processor passed up in this second. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nc_passed);
} passed_up SEC(".maps");

/* The query at hand: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct query);
} scratch SEC(".maps");

/* The programs that go on where the first one ends, by enum program. */
int nearcast_records(struct xdp_md *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, PROGRAMS);
	__type(key, __u32);
	__array(values, int(void *));
} programs SEC(".maps") = {.values = {[PROGRAM_RECORDS] = (void *)&nearcast_records}};

/* Mapped by the daemon: one store flips a node, or the generation. */
struct nc_words words SEC(".data.words");
struct nc_control control SEC(".data.control");
struct nc_clock clock SEC(".data.clock");
struct nc_overlay overlay SEC(".data.overlay");
struct nc_station station SEC(".data.station");

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every map of the fast path. Tables are arrays of maps with two slots, one for each generation. User space creates
 * and fills their inner maps, then installs them in a slot. docs/map-abi.md lists who writes what, and when.
 */
#pragma once

#include "base.h"
#include "abi/abi.h"
#include "query.h"

/*
 * An array of maps whose inner maps are arrays of cells of type `cell`. The size of the inner maps is set before the
 * load and is the same for both slots; otherwise the kernel does not inline look-ups in them, and a packet needs ten.
 * `table_empty` puts the cell's type into the BTF, where the inner maps take it from. It has an initialiser so that
 * clang emits it before the table; after it, clang would leave the type out.
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

/* Small values that are fixed for a generation. */
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

/* Answers that led to each node, by slot. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NC_MAX_NODES);
	__type(key, __u32);
	__type(value, __u64);
} node_answers SEC(".maps");

/* The per-CPU location cache (abi/recent.h), in two buffers. Each location table uses one of them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NC_GENERATIONS *NC_RECENT_PARTS);
	__type(key, __u32);
	__type(value, struct nc_recent);
} recent_blocks SEC(".maps");

/* Protocol options by generation: cookies, NSID, rate limits. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NC_GENERATIONS);
	__type(key, __u32);
	__type(value, struct nc_protocol);
} protocols SEC(".maps");

/* Token buckets of the rate limit. Both paths update them by compare and exchange. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NC_RATE_BUCKETS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
} rate_buckets SEC(".maps");

/* Queries that each CPU passed to user space in this second. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nc_passed);
} passed_up SEC(".maps");

/* The query in progress, which is too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct query);
} scratch SEC(".maps");

/* Targets of tail calls, by enum program. */
int nearcast_records(struct xdp_md *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, PROGRAMS);
	__type(key, __u32);
	__array(values, int(void *));
} programs SEC(".maps") = {.values = {[PROGRAM_RECORDS] = (void *)&nearcast_records}};

/* Mapped by the daemon: one store changes the state of a node, or the generation in use. */
struct nc_words words SEC(".data.words");
struct nc_control control SEC(".data.control");
struct nc_clock clock SEC(".data.clock");
struct nc_overlay overlay SEC(".data.overlay");
struct nc_station station SEC(".data.station");

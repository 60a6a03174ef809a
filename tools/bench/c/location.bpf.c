// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Look-ups in the pinned location table, `ADDRESSES` in one test run. `chained` begins each when the one before has
 * its result: the time of a look-up. `free` leaves them to the processor, which works on several at once. `empty` does
 * all but the look-up itself, so its time is what the others' must be lessened by. `bare` and `bare_free` look one word
 * up in an array of 32 MiB: what a read of memory costs here, whatever the table is like.
 */
#include "../../../bpf/base.h"
#include "../../../bpf/abi/location.h"
#include "location.h"

/* Both are the daemon's: the loader puts its pins in their places. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} locations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LINES);
	__type(key, __u32);
	__type(value, struct line);
} lines SEC(".maps");

struct addresses addresses SEC(".data.addresses");
/* Which of the table's two generations is looked at. */
__u32 slot SEC(".data.slot");

struct run {
	__u64 before; /* place of the last look-up */
	__u64 found;
};

enum form {
	EMPTY,
	CHAINED,
	FREE,
	BARE,
	BARE_FREE
};

/* A word of the array at random: its index is the address, well mixed. */
static __always_inline __u64 look_up_line(__u64 address)
{
	__u32 index = (address * 0x9e3779b97f4a7c15ULL) >> 40 & (LINES - 1);
	struct line *line = bpf_map_lookup_elem(&lines, &index);

	return line ? line->word[0] : 0;
}

static __always_inline long step(__u32 index, struct run *run, enum form form)
{
	__u32 generation = slot;
	void *table = bpf_map_lookup_elem(&locations, &generation);
	struct nc_address address = {.family = addresses.family};
	__u64 place;

	if (!table)
		return 1;
	address.hi = addresses.hi[index & (ADDRESSES - 1)];
	if (form == CHAINED || form == BARE)
		address.hi ^= run->before & addresses.none;
	if (form == BARE || form == BARE_FREE)
		place = look_up_line(address.hi);
	else
		place = form == EMPTY ? address.hi : nc_location_find(table, address).place;
	run->before = place;
	run->found += place != 0;
	return 0;
}

static long step_empty(__u32 index, struct run *run)
{
	return step(index, run, EMPTY);
}

static long step_chained(__u32 index, struct run *run)
{
	return step(index, run, CHAINED);
}

static long step_free(__u32 index, struct run *run)
{
	return step(index, run, FREE);
}

static long step_bare(__u32 index, struct run *run)
{
	return step(index, run, BARE);
}

static long step_bare_free(__u32 index, struct run *run)
{
	return step(index, run, BARE_FREE);
}

#define PROGRAM(name)                                      \
	SEC("xdp")                                         \
	int name(struct xdp_md *ctx)                       \
	{                                                  \
		struct run run = {};                       \
                                                           \
		bpf_loop(ADDRESSES, step_##name, &run, 0); \
		addresses.found = run.found;               \
		return XDP_PASS;                           \
	}

PROGRAM(empty)
PROGRAM(chained)
PROGRAM(free)
PROGRAM(bare)
PROGRAM(bare_free)

char _license[] SEC("license") = "Dual BSD/GPL";

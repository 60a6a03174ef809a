// SPDX-License-Identifier: Apache-2.0
/*
 * location: nanoseconds a look-up in the pinned location table takes.
 *
 * usage: location OBJECT PINS ADDRESSES 4|6 RUNS CPU
 *
 * OBJECT is location.bpf.o, PINS the daemon's folder of maps, ADDRESSES a file of 64-bit words in this machine's order,
 * as `struct addresses` has them; fewer than it holds are repeated in turn. Prints a line a run: nanoseconds a step of
 * `empty`, `chained`, `free`, `bare` and `bare_free`; and how many of the addresses have a place. The five alternate,
 * so that a disturbance of the machine meets all.
 */
#include "load.h"

#include "location.h"

static int pinned(const char *folder, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = bpf_obj_get(path);
	if (fd < 0)
		fail(path);
	return fd;
}

/* The generation in use: the first word of struct nc_control, `bpf/abi/generation.h`. */
static __u32 generation(const char *pins)
{
	int fd = pinned(pins, "control");
	__u32 control[2], zero = 0;

	if (bpf_map_lookup_elem(fd, &zero, control))
		fail("control");
	return control[0];
}

static void read_addresses(struct addresses *addresses, const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t count;

	if (!file)
		fail(path);
	count = fread(addresses->hi, sizeof(addresses->hi[0]), ADDRESSES, file);
	fclose(file);
	if (!count) {
		errno = ENODATA;
		fail(path);
	}
	for (size_t index = count; index < ADDRESSES; index++)
		addresses->hi[index] = addresses->hi[index - count];
}

/* Nanoseconds of this thread a step. */
static double time_run(int program)
{
	char in[FRAME_MIN] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = sizeof(in), .repeat = 1);
	double began = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (bpf_prog_test_run_opts(program, &options))
		fail("BPF_PROG_TEST_RUN");
	return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) / ADDRESSES;
}

int main(int arguments, char **argument)
{
	static struct addresses addresses;
	struct bpf_object *object;
	struct bpf_map *table;
	__u32 zero = 0, slot;
	int runs;

	if (arguments != 7) {
		fprintf(stderr, "usage: location OBJECT PINS ADDRESSES 4|6 RUNS CPU\n");
		return 2;
	}
	addresses.family = argument[4][0] == '4' ? 1 : 2;
	runs = atoi(argument[5]);
	stay_on(atoi(argument[6]));
	read_addresses(&addresses, argument[3]);
	slot = generation(argument[2]);
	object = bpf_object__open_file(argument[1], NULL);
	table = object ? bpf_object__find_map_by_name(object, "locations") : NULL;
	if (!table || bpf_map__reuse_fd(table, pinned(argument[2], "locations")) || bpf_object__load(object))
		fail(argument[1]);
	if (bpf_map_update_elem(map_of(object, ".data.addresses"), &zero, &addresses, BPF_ANY) ||
	    bpf_map_update_elem(map_of(object, ".data.slot"), &zero, &slot, BPF_ANY))
		fail("addresses");
	/* The first round warms caches and branch predictors, and is not told. */
	for (int run = 0; run <= runs; run++) {
		double empty = time_run(program_of(object, "empty")), bare = time_run(program_of(object, "bare")),
		       bare_free = time_run(program_of(object, "bare_free")),
		       free = time_run(program_of(object, "free")), chained = time_run(program_of(object, "chained"));

		if (bpf_map_lookup_elem(map_of(object, ".data.addresses"), &zero, &addresses))
			fail("addresses");
		if (run)
			printf("%.2f %.2f %.2f %.2f %.2f %u\n", empty, chained, free, bare, bare_free, addresses.found);
		fflush(stdout);
	}
	bpf_object__close(object);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * timing: nanoseconds a run of a pinned XDP program takes, for a workload of queries.
 *
 * usage: timing OBJECT FRAMES CLIENTS PROGRAM REPEAT RUNS CPU
 *
 * OBJECT is timing.bpf.o, PROGRAM a pin. Prints a line a run: nanoseconds of `whole`, of `empty`, what the
 * last packet's verdict was, and nanoseconds of one of the yardstick's hashes. They alternate, so
 * that a disturbance of the machine meets all.
 */
#include "load.h"
#include "timing.h"

/* Nanoseconds of this thread a run; the kernel's own figure has no fraction. */
static double time_runs(int program, __u32 repeat, __u32 *verdict)
{
	char in[FRAME_MIN] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = sizeof(in), .repeat = repeat);
	double began = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (bpf_prog_test_run_opts(program, &options))
		fail("BPF_PROG_TEST_RUN");
	*verdict = options.retval;
	return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) / repeat;
}

int main(int arguments, char **argument)
{
	struct bpf_object *object;
	int under_test, idle, whole, empty, runs;
	__u32 repeat, first = 0, second = 1;

	if (arguments != 8) {
		fprintf(stderr, "usage: timing OBJECT FRAMES CLIENTS PROGRAM REPEAT RUNS CPU\n");
		return 2;
	}
	repeat = atoi(argument[5]);
	runs = atoi(argument[6]);
	stay_on(atoi(argument[7]));
	object = load(argument[1], argument[2], argument[3]);
	under_test = bpf_obj_get(argument[4]);
	if (under_test < 0)
		fail(argument[4]);
	idle = program_of(object, "idle");
	if (bpf_map_update_elem(map_of(object, "called"), &first, &under_test, BPF_ANY) ||
	    bpf_map_update_elem(map_of(object, "called"), &second, &idle, BPF_ANY))
		fail("the program under test cannot be called");
	whole = program_of(object, "whole");
	empty = program_of(object, "empty");
	/* The first pair warms caches and branch predictors, and is not told. */
	for (int run = 0; run <= runs; run++) {
		__u32 verdict, restored, hashed;
		double with = time_runs(whole, repeat, &verdict), without = time_runs(empty, repeat, &restored),
		       hash = time_runs(program_of(object, "hashes"), 10, &hashed) / HASHES;

		if (restored != XDP_TX) {
			fprintf(stderr, "timing: a query could not be written into the frame\n");
			return 1;
		}
		if (run)
			printf("%.2f %.2f %u %.2f\n", with, without, verdict, hash);
		fflush(stdout);
	}
	bpf_object__close(object);
	return 0;
}

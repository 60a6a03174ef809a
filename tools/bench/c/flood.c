// SPDX-License-Identifier: Apache-2.0
/*
 * flood: asks as fast as it is answered, from one CPU, with live frames of BPF_PROG_TEST_RUN.
 *
 * usage: flood OBJECT FRAMES CLIENTS INTERFACE SECONDS WINDOW CPU [GAP [VARIES [STAMP [WORDS SLOT]]]]
 *
 * OBJECT is flood.bpf.o. Ends early at SIGINT. With GAP, nanoseconds, asks no faster than one query in that
 * time. VARIES is enum variation. With STAMP, where the address stands in a reply's frame, the map `stamps` has the
 * time of the last answer with each address. Takes the place of the interface's XDP program and gives it back. Prints
 * one line of JSON: seconds, and what struct tally holds.
 */
#include "load.h"

#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <sys/time.h>

#include "flood.h"

#define BATCH	  64
#define SETTLE_US 50000

static void interrupt(int signal)
{
	(void)signal; /* only to end the system call */
}

/* Runs the generator until the alarm; returns the seconds. */
static double run(int program, int interface, int seconds)
{
	char in[FRAME_MIN] = {0};
	struct xdp_md context = {.data_end = sizeof(in), .ingress_ifindex = interface};
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = sizeof(in), .ctx_in = &context,
		    .ctx_size_in = sizeof(context), .repeat = 1 << 30, .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
		    .batch_size = BATCH);
	struct sigaction action = {.sa_handler = interrupt};
	double began;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	began = clock_ns(CLOCK_MONOTONIC);
	alarm(seconds);
	if (bpf_prog_test_run_opts(program, &options) && errno != EINTR)
		fail("BPF_PROG_TEST_RUN");
	return (clock_ns(CLOCK_MONOTONIC) - began) / 1e9;
}

int main(int arguments, char **argument)
{
	struct bpf_object *object;
	struct tally tally = {0};
	int interface, before = -1, map;
	__u32 id = 0, zero = 0;
	double seconds;

	if (arguments < 8 || arguments > 13 || arguments == 12) {
		fprintf(stderr, "usage: flood OBJECT FRAMES CLIENTS INTERFACE SECONDS WINDOW CPU [GAP [VARIES [STAMP "
				"[WORDS SLOT]]]]\n");
		return 2;
	}
	stay_on(atoi(argument[7]));
	object = load_with(argument[1], argument[2], argument[3], arguments > 12 ? argument[11] : NULL);
	map = map_of(object, ".data.tally");
	tally.window = atoi(argument[6]);
	tally.gap_ns = arguments > 8 ? atoi(argument[8]) : 0;
	tally.varies = arguments > 9 ? atoi(argument[9]) : 0;
	tally.stamp_at = arguments > 10 ? atoi(argument[10]) : 0;
	tally.watches = arguments > 12 ? atoi(argument[12]) + 1 : 0;
	if (bpf_map_update_elem(map, &zero, &tally, BPF_ANY))
		fail("window");
	interface = if_nametoindex(argument[4]);
	if (!interface)
		fail(argument[4]);
	if (!bpf_xdp_query_id(interface, XDP_FLAGS_DRV_MODE, &id) && id)
		before = bpf_prog_get_fd_by_id(id);
	if (bpf_xdp_attach(interface, program_of(object, "sink"), XDP_FLAGS_DRV_MODE, NULL))
		fail("sink");
	seconds = run(program_of(object, "flood"), interface, atoi(argument[5]));
	usleep(SETTLE_US);
	bpf_xdp_attach(interface, before, XDP_FLAGS_DRV_MODE, NULL);
	if (bpf_map_lookup_elem(map, &zero, &tally))
		fail("tally");
	printf("{\"seconds\": %.4f, \"sent\": %llu, \"replies\": %llu, \"answers\": %llu, \"held\": %llu, "
	       "\"given_up\": %llu}\n",
	       seconds, tally.sent, tally.replies, tally.answers, tally.held, tally.given_up);
	bpf_object__close(object);
	return 0;
}

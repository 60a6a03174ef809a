// SPDX-License-Identifier: Apache-2.0
/*
 * hail: sends the frames of a file, again and again, at a constant rate.
 *
 * usage: hail FRAMES INTERFACE RATE SECONDS
 *
 * FRAMES has each frame behind its length (16 bits, little-endian). RATE is frames a second. Prints one line of JSON.
 * Ends early at SIGTERM and SIGINT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BATCH	64
#define TICK_NS 1000000

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void fail(const char *what)
{
	fprintf(stderr, "hail: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

struct frames {
	const uint8_t *bytes;
	size_t size, at;
};

static struct frames open_frames(const char *path)
{
	struct frames frames = {0};
	struct stat state;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &state))
		fail(path);
	frames.size = state.st_size;
	frames.bytes = mmap(NULL, frames.size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (frames.bytes == MAP_FAILED || frames.size < 2)
		fail(path);
	return frames;
}

/* The next frame; from the first again behind the last. */
static struct iovec next(struct frames *frames)
{
	struct iovec part;

	if (frames->at + 2 > frames->size)
		frames->at = 0;
	part.iov_len = frames->bytes[frames->at] | frames->bytes[frames->at + 1] << 8;
	part.iov_base = (void *)(frames->bytes + frames->at + 2);
	frames->at += 2 + part.iov_len;
	return part;
}

static int open_interface(const char *name)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(name)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1;

	if (fd < 0 || !address.sll_ifindex || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		fail(name);
	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on));
	return fd;
}

/* Sends so many; returns how many the interface took. */
static unsigned send_some(int fd, struct frames *frames, unsigned count)
{
	struct mmsghdr messages[BATCH] = {0};
	struct iovec parts[BATCH];
	int taken;

	for (unsigned i = 0; i < count; i++) {
		parts[i] = next(frames);
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	taken = sendmmsg(fd, messages, count, MSG_DONTWAIT);
	return taken > 0 ? taken : 0;
}

int main(int arguments, char **argument)
{
	struct sigaction action = {.sa_handler = stop};
	struct timespec tick = {.tv_nsec = TICK_NS};
	struct frames frames;
	uint64_t began, end, sent = 0, tried = 0, due, rate;
	unsigned count;
	int fd;

	if (arguments != 5) {
		fprintf(stderr, "usage: hail FRAMES INTERFACE RATE SECONDS\n");
		return 2;
	}
	frames = open_frames(argument[1]);
	fd = open_interface(argument[2]);
	rate = strtoull(argument[3], NULL, 10);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	began = now();
	end = began + strtoull(argument[4], NULL, 10) * 1000000000ull;
	while (!stopped && now() < end) {
		due = (now() - began) / 1000 * rate / 1000000;
		/* What could not be sent in time is sent soon, in no burst that fills the link's ring of 256 frames. */
		if (due > tried + rate)
			tried = due - rate;
		count = due - tried < BATCH ? due - tried : BATCH;
		if (count) {
			sent += send_some(fd, &frames, count);
			tried += count;
		}
		nanosleep(&tick, NULL);
	}
	printf("{\"sent\": %llu, \"seconds\": %.3f}\n", (unsigned long long)sent, (now() - began) / 1e9);
	return 0;
}

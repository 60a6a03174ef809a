/* SPDX-License-Identifier: Apache-2.0 */
/* What the loaders have in common: errors, the CPU they run on, and filling a workload. */
#pragma once

#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

/*
 * Keeps to one CPU and goes before everyone else's work there. Niceness counts only among a session's own
 * threads where the scheduler groups by session, so the session's is set too.
 */
static void stay_on(int cpu)
{
	FILE *group;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("CPU");
	setsid();
	setpriority(PRIO_PROCESS, 0, -20);
	group = fopen("/proc/self/autogroup", "w");
	if (!group)
		return;
	fputs("-20", group);
	fclose(group);
}

static double clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static int map_of(struct bpf_object *object, const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(object, name);

	if (fd < 0)
		fail(name);
	return fd;
}

static int program_of(struct bpf_object *object, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	if (!program)
		fail(name);
	return bpf_program__fd(program);
}

/* Copies the records of a file into an array map; returns their number. */
static __u32 fill(struct bpf_object *object, const char *map, const char *path, size_t size, __u32 room)
{
	int fd = map_of(object, map);
	char record[sizeof(struct frame)];
	FILE *file = fopen(path, "rb");
	__u32 count = 0;

	if (!file)
		fail(path);
	while (fread(record, size, 1, file) == 1) {
		if (count == room || bpf_map_update_elem(fd, &count, record, BPF_ANY))
			fail(map);
		count++;
	}
	fclose(file);
	if (!count) {
		errno = ENODATA;
		fail(path);
	}
	return count;
}

/*
 * Loads an object and gives it the workload of two files: records of struct frame, and of struct client. `words`, if
 * not null, is the path of a pinned map that takes the place of the object's own of this name.
 */
static struct bpf_object *load_with(const char *path, const char *frames, const char *clients, const char *words)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct workload workload;
	__u32 zero = 0;

	if (!object)
		fail(path);
	if (words && bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "words"), bpf_obj_get(words)))
		fail(words);
	if (bpf_object__load(object))
		fail(path);
	workload.frames = fill(object, "frames", frames, sizeof(struct frame), FRAMES_MAX);
	workload.clients = fill(object, "clients", clients, sizeof(struct client), CLIENTS_MAX);
	if (bpf_map_update_elem(map_of(object, ".data.workload"), &zero, &workload, BPF_ANY))
		fail("workload");
	return object;
}

static inline struct bpf_object *load(const char *path, const char *frames, const char *clients)
{
	return load_with(path, frames, clients, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A workload: frames of queries, and the clients they speak for. Shared by the BPF programs and their loaders. */
#pragma once

#include <linux/types.h>

#define FRAME_BYTES 256
#define FRAME_MIN   60
#define FRAMES_MAX  262144
#define CLIENTS_MAX 65536

struct frame {
	__u32 length;
	__u32 client_bytes; /* bytes at the end that are the client's: its ECS address; 0: the frame is used as it is */
	__u8 data[FRAME_BYTES];
};

struct client {
	__u8 bytes[8];
};

/* How many of each there are. Every pair of a frame and a client is drawn equally often. */
struct workload {
	__u32 frames;
	__u32 clients;
};

// SPDX-License-Identifier: Apache-2.0
// Waits for many descriptors (epoll(7)), and opens connections to wait for. Functions return a
// descriptor, a count or zero, and -errno on failure.
//
// Why in C: <sys/epoll.h> is missing from Swift's Glibc module, and socket address types are pointer casts.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct linux_ready {
	uint64_t tag;
	bool readable; // also: closed, or failed
	bool writable;
};

int linux_poll_open(void);

// Registers `descriptor`: for being readable or, if `writable`, writable. `again`: it is registered
// already.
int linux_poll_watch(int poll, int descriptor, bool writable, uint64_t tag, bool again);

// Waits at most `milliseconds`. Also returns 0 after a signal.
int linux_poll_wait(int poll, struct linux_ready *ready, int count, int milliseconds);

// A descriptor that is readable after a ring, until it is answered.
int linux_bell_open(void);
void linux_bell_ring(int bell);
void linux_bell_answer(int bell);

// Connects a stream socket to an address of 4 or 16 bytes. `source`, if not null, has the same
// length.
int linux_connect(const uint8_t *address, const uint8_t *source, int length, uint16_t port);

// Whether this host has a route to an address: 0, or why not as a negative errno. Sends nothing.
int linux_route(const uint8_t *address, const uint8_t *source, int length);

// Whether the connection is established: 0, -EINPROGRESS, or the error.
int linux_connect_result(int descriptor);

// A raw socket that receives only echo replies (RFC 792, RFC 4443) with `identifier`, bound to
// `source` if that is not null. `length`: of addresses, 4 or 16.
int linux_ping_open(const uint8_t *source, int length, uint16_t identifier);

int linux_ping_send(int socket, const uint8_t *address, int length, const uint8_t *message, int count);

// The next reply as raw(7) gives it (with the IP header for IPv4), or -EAGAIN. `sender` has room
// for 16 bytes.
int linux_ping_receive(int socket, uint8_t *buffer, int count, uint8_t *sender);

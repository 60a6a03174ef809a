// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 256

int linux_poll_open(void)
{
	int poll = epoll_create1(EPOLL_CLOEXEC);

	return poll < 0 ? -errno : poll;
}

int linux_poll_watch(int poll, int descriptor, bool writable, uint64_t tag, bool again)
{
	struct epoll_event event = {.events = writable ? EPOLLOUT : EPOLLIN, .data.u64 = tag};

	return epoll_ctl(poll, again ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) ? -errno : 0;
}

int linux_poll_wait(int poll, struct linux_ready *ready, int count, int milliseconds)
{
	struct epoll_event events[EVENTS];
	int found = epoll_wait(poll, events, count < EVENTS ? count : EVENTS, milliseconds);

	if (found < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < found; i++)
		ready[i] = (struct linux_ready){
			.tag = events[i].data.u64,
			.readable = events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP),
			.writable = events[i].events & EPOLLOUT,
		};
	return found;
}

int linux_bell_open(void)
{
	int bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	return bell < 0 ? -errno : bell;
}

void linux_bell_ring(int bell)
{
	eventfd_write(bell, 1);
}

void linux_bell_answer(int bell)
{
	eventfd_t rings;

	eventfd_read(bell, &rings);
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t fill(union address *into, const uint8_t *address, int length, uint16_t port)
{
	*into = (union address){0};
	if (length == 4) {
		into->v4.sin_family = AF_INET;
		into->v4.sin_port = htons(port);
		memcpy(&into->v4.sin_addr, address, 4);
		return sizeof(into->v4);
	}
	into->v6.sin6_family = AF_INET6;
	into->v6.sin6_port = htons(port);
	memcpy(&into->v6.sin6_addr, address, 16);
	return sizeof(into->v6);
}

static int open_connected(int type, const uint8_t *address, const uint8_t *source, int length, uint16_t port)
{
	int descriptor = socket(length == 4 ? AF_INET : AF_INET6, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	union address at;
	socklen_t size;
	int failure;

	if (descriptor < 0)
		return -errno;
	if (source) {
		size = fill(&at, source, length, 0);
		if (bind(descriptor, &at.any, size))
			goto fail;
	}
	size = fill(&at, address, length, port);
	if (!connect(descriptor, &at.any, size) || errno == EINPROGRESS)
		return descriptor;
fail:
	failure = errno;
	close(descriptor);
	return -failure;
}

int linux_connect(const uint8_t *address, const uint8_t *source, int length, uint16_t port)
{
	return open_connected(SOCK_STREAM, address, source, length, port);
}

int linux_route(const uint8_t *address, const uint8_t *source, int length)
{
	// For a datagram socket, connecting is only the choice of a route. The port does not matter.
	int descriptor = open_connected(SOCK_DGRAM, address, source, length, 9);

	if (descriptor < 0)
		return descriptor;
	close(descriptor);
	return 0;
}

int linux_connect_result(int descriptor)
{
	struct pollfd watch = {.fd = descriptor, .events = POLLOUT};
	int error = 0;
	socklen_t size = sizeof(error);

	if (poll(&watch, 1, 0) == 0)
		return -EINPROGRESS;
	if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size))
		return -errno;
	return -error;
}

static int filter_echo_replies(int descriptor, int length)
{
	struct icmp_filter v4 = {.data = ~(1U << ICMP_ECHOREPLY)};
	struct icmp6_filter v6;

	if (length == 4)
		return setsockopt(descriptor, SOL_RAW, ICMP_FILTER, &v4, sizeof(v4));
	ICMP6_FILTER_SETBLOCKALL(&v6);
	ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &v6);
	return setsockopt(descriptor, IPPROTO_ICMPV6, ICMP6_FILTER, &v6, sizeof(v6));
}

// Drops replies to other processes' requests, and most unsolicited ones, before they take room in
// the socket. The data begins with the IP header for IPv4, with the message for IPv6.
static int filter_identifier(int descriptor, int length, uint16_t identifier)
{
	struct sock_filter steps[] = {
		length == 4 ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0)
			    : (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, offsetof(struct icmphdr, un.echo.id)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, identifier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = {.len = sizeof(steps) / sizeof(steps[0]), .filter = steps};

	return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int linux_ping_open(const uint8_t *source, int length, uint16_t identifier)
{
	int protocol = length == 4 ? IPPROTO_ICMP : (int)IPPROTO_ICMPV6;
	int descriptor = socket(length == 4 ? AF_INET : AF_INET6, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
	const int room = 8 << 20;
	union address at;
	socklen_t size;
	int failure;

	if (descriptor < 0)
		return -errno;
	if (filter_echo_replies(descriptor, length) || filter_identifier(descriptor, length, identifier))
		goto fail;
	/* As many replies as may be waited for: one takes less than 1 KiB. Without CAP_NET_ADMIN as far as the host
	 * allows. */
	if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		(void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (source) {
		size = fill(&at, source, length, 0);
		if (bind(descriptor, &at.any, size))
			goto fail;
	}
	return descriptor;
fail:
	failure = errno;
	close(descriptor);
	return -failure;
}

int linux_ping_send(int descriptor, const uint8_t *address, int length, const uint8_t *message, int count)
{
	union address at;
	socklen_t size = fill(&at, address, length, 0);

	return sendto(descriptor, message, count, 0, &at.any, size) < 0 ? -errno : 0;
}

int linux_ping_receive(int descriptor, uint8_t *buffer, int count, uint8_t *sender)
{
	union address from = {0};
	socklen_t size = sizeof(from);
	ssize_t received = recvfrom(descriptor, buffer, count, 0, &from.any, &size);

	if (received < 0)
		return -errno;
	if (from.any.sa_family == AF_INET)
		memcpy(sender, &from.v4.sin_addr, 4);
	else
		memcpy(sender, &from.v6.sin6_addr, 16);
	return (int)received;
}

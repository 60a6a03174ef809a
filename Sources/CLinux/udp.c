// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "socket_address.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Receive buffer, so that a stall of a few milliseconds under full load loses nothing.
#define RECEIVE_BUFFER (4 << 20)
// Send buffer: replies that the card has not sent yet. Beyond it replies are dropped.
#define SEND_BUFFER    (2 << 20)
#define LISTEN_BACKLOG 1024

static socklen_t to_socket_address(const struct nl_endpoint *from, union address *to)
{
	memset(to, 0, sizeof(*to));
	if (!from->ipv6) {
		to->v4.sin_family = AF_INET;
		to->v4.sin_port = htons(from->port);
		to->v4.sin_addr.s_addr = htonl((uint32_t)from->low);
		return sizeof(to->v4);
	}
	const uint64_t words[2] = {htobe64(from->high), htobe64(from->low)};

	to->v6.sin6_family = AF_INET6;
	to->v6.sin6_port = htons(from->port);
	to->v6.sin6_scope_id = from->interface;
	memcpy(&to->v6.sin6_addr, words, sizeof(words));
	return sizeof(to->v6);
}

void nl_from_socket_address(const union address *from, struct nl_endpoint *to)
{
	if (from->any.sa_family == AF_INET) {
		to->ipv6 = false;
		to->port = ntohs(from->v4.sin_port);
		to->high = 0;
		to->low = ntohl(from->v4.sin_addr.s_addr);
		to->interface = 0;
		return;
	}
	uint64_t words[2];

	memcpy(words, &from->v6.sin6_addr, sizeof(words));
	to->ipv6 = true;
	to->port = ntohs(from->v6.sin6_port);
	to->high = be64toh(words[0]);
	to->low = be64toh(words[1]);
	to->interface = from->v6.sin6_scope_id;
}

static int set(int descriptor, int level, int option, int value)
{
	return setsockopt(descriptor, level, option, &value, sizeof(value));
}

// Without CAP_NET_ADMIN: as far as the host allows.
static void set_buffer(int descriptor, int force, int option, int bytes)
{
	if (set(descriptor, SOL_SOCKET, force, bytes) != 0)
		set(descriptor, SOL_SOCKET, option, bytes);
}

// RFC 9715: replies carry DF (R1, R2). PROBE instead of DO: ignores a path MTU that forged ICMP may
// have lowered.
static int set_udp_options(int descriptor, const struct nl_endpoint *at)
{
	const bool wildcard = at->high == 0 && at->low == 0;

	set_buffer(descriptor, SO_RCVBUFFORCE, SO_RCVBUF, RECEIVE_BUFFER);
	set_buffer(descriptor, SO_SNDBUFFORCE, SO_SNDBUF, SEND_BUFFER);
	if (at->ipv6) {
		if (set(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE) != 0 ||
		    set(descriptor, IPPROTO_IPV6, IPV6_DONTFRAG, 1) != 0)
			return -1;
		return wildcard ? set(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) : 0;
	}
	if (set(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE) != 0)
		return -1;
	return wildcard ? set(descriptor, IPPROTO_IP, IP_PKTINFO, 1) : 0;
}

static int set_absent(int descriptor, const struct nl_endpoint *at)
{
	return at->ipv6 ? set(descriptor, IPPROTO_IPV6, IPV6_FREEBIND, 1) : set(descriptor, IPPROTO_IP, IP_FREEBIND, 1);
}

static int configure_and_bind(int descriptor, enum nl_transport transport, const struct nl_endpoint *at, unsigned flags)
{
	union address address;
	const socklen_t length = to_socket_address(at, &address);

	if (at->ipv6 && set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1) != 0)
		return -1;
	// TCP: connections of a former process in TIME_WAIT must not block the port.
	if (transport == NL_TCP && set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) != 0)
		return -1;
	if ((flags & NL_SHARED) && set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) != 0)
		return -1;
	if (transport == NL_UDP && set_udp_options(descriptor, at) != 0)
		return -1;
	if ((flags & NL_ABSENT) && set_absent(descriptor, at) != 0)
		return -1;
	if (bind(descriptor, &address.any, length) != 0)
		return -1;
	return flags & NL_QUEUE ? listen(descriptor, LISTEN_BACKLOG) : 0;
}

int nl_open_listener(enum nl_transport transport, const struct nl_endpoint *at, unsigned flags)
{
	const int kind = transport == NL_UDP ? SOCK_DGRAM : SOCK_STREAM | SOCK_NONBLOCK;
	const int descriptor = socket(at->ipv6 ? AF_INET6 : AF_INET, kind | SOCK_CLOEXEC, 0);

	if (descriptor < 0)
		return -errno;
	if (configure_and_bind(descriptor, transport, at, flags) != 0) {
		const int code = errno;

		close(descriptor);
		return -code;
	}
	return descriptor;
}

int nl_has_address(const struct nl_endpoint *at)
{
	struct nl_endpoint any = *at;
	union address address;
	socklen_t length;
	const int descriptor = socket(at->ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int failure;

	if (descriptor < 0)
		return -errno;
	any.port = 0;
	length = to_socket_address(&any, &address);
	failure = bind(descriptor, &address.any, length) == 0 ? 0 : errno;
	close(descriptor);
	if (failure == EADDRNOTAVAIL)
		return 0;
	return failure ? -failure : 1;
}

int nl_local_endpoint(int descriptor, struct nl_endpoint *out)
{
	union address address;
	socklen_t length = sizeof(address);

	if (getsockname(descriptor, &address.any, &length) != 0)
		return -errno;
	nl_from_socket_address(&address, out);
	return 0;
}

// The kernel skips connected sockets when it chooses among those that share an address. The peer is
// the socket's own address (so a route exists) at the discard port, from which no query comes.
void nl_udp_retire(int descriptor)
{
	struct nl_endpoint own;

	if (nl_local_endpoint(descriptor, &own) == 0) {
		union address peer;

		own.port = 9;
		const socklen_t length = to_socket_address(&own, &peer);

		(void)connect(descriptor, &peer.any, length);
	}
	(void)shutdown(descriptor, SHUT_RD);
}

static void choose_by(int descriptor, struct sock_filter *steps, unsigned short count)
{
	const struct sock_fprog program = {.len = count, .filter = steps};

	(void)setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}

// Sockets are numbered in the order of binding, and the last one takes the number of one that
// closes. So those of a successor come last.
void nl_keep_address(int descriptor, unsigned sockets)
{
	struct sock_filter any[] = {
		{.code = BPF_LD | BPF_W | BPF_ABS, .k = SKF_AD_OFF + SKF_AD_RANDOM},
		{.code = BPF_ALU | BPF_MOD | BPF_K, .k = sockets},
		{.code = BPF_RET | BPF_A},
	};

	choose_by(descriptor, any, sizeof(any) / sizeof(any[0]));
}

void nl_share_address(int descriptor)
{
	const int unused = 0;

	(void)setsockopt(descriptor, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &unused, sizeof(unused));
}

// A listener that closes resets queued connections. So the kernel is first given a program that
// selects the listener bound second. If there is none, the kernel falls back to its own choice
// (reuseport_select_sock).
void nl_tcp_retire(int descriptor)
{
	struct sock_filter second = {.code = BPF_RET | BPF_K, .k = 1};

	choose_by(descriptor, &second, 1);
}

int nl_accept(int listener, struct nl_endpoint *client)
{
	for (;;) {
		union address address;
		socklen_t length = sizeof(address);
		const int descriptor = accept4(listener, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (descriptor >= 0) {
			nl_from_socket_address(&address, client);
			return descriptor;
		}
		if (errno != EAGAIN)
			return -errno;

		struct pollfd state = {.fd = listener, .events = POLLIN};

		(void)poll(&state, 1, -1);
	}
}

// Without lingering, close() drops unsent data and leaves no TIME_WAIT.
void nl_reset(int descriptor)
{
	const struct linger at_once = {.l_onoff = 1};

	(void)setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	(void)close(descriptor);
}

uint32_t nl_udp_overflowed(int descriptor)
{
	uint32_t values[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(values);

	if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, values, &length) != 0)
		return 0;
	return values[SK_MEMINFO_DROPS];
}

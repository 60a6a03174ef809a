// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "UDPSockets.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Queued bytes asked for, so that a stall of some milliseconds under full load loses nothing.
#define RECEIVE_BUFFER (4 << 20)
// Replies that a card has not sent yet; beyond it a send waits.
#define SEND_BUFFER    (2 << 20)
#define LISTEN_BACKLOG 4096
// Buffers are one line apart from a multiple of 4,096: equal offsets would compete for the same cache sets.
#define STRIDE (NL_DATAGRAM + 64)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

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

static void from_socket_address(const union address *from, struct nl_endpoint *to)
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

// RFC 9715: replies carry DF (R1, R2). PROBE and not DO: path MTU that forged ICMP could have shrunk is ignored.
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

static int configure_and_bind(int descriptor, enum nl_transport transport, const struct nl_endpoint *at, unsigned flags)
{
	union address address;
	const socklen_t length = to_socket_address(at, &address);

	if (at->ipv6 && set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1) != 0)
		return -1;
	// TCP: connections of a former process in TIME_WAIT must not keep the port.
	if (transport == NL_TCP && set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) != 0)
		return -1;
	if ((flags & NL_SHARED) && set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) != 0)
		return -1;
	if (transport == NL_UDP && set_udp_options(descriptor, at) != 0)
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

int nl_local_endpoint(int descriptor, struct nl_endpoint *out)
{
	union address address;
	socklen_t length = sizeof(address);

	if (getsockname(descriptor, &address.any, &length) != 0)
		return -errno;
	from_socket_address(&address, out);
	return 0;
}

// A connected socket is passed over when the kernel chooses among those that share an address. The peer is the socket's
// own address (so a route exists) at the discard port, from where no query comes.
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

// A listener that closes resets what is queued. So the kernel is first told to choose by a program, whose answer is the
// index of the listener bound second; where there is none it falls back on its own choice (reuseport_select_sock).
void nl_tcp_retire(int descriptor)
{
	struct sock_filter second = {.code = BPF_RET | BPF_K, .k = 1};
	const struct sock_fprog program = {.len = 1, .filter = &second};

	(void)setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}

int nl_accept(int listener, struct nl_endpoint *client)
{
	for (;;) {
		union address address;
		socklen_t length = sizeof(address);
		const int descriptor = accept4(listener, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (descriptor >= 0) {
			from_socket_address(&address, client);
			return descriptor;
		}
		if (errno != EAGAIN)
			return -errno;

		struct pollfd state = {.fd = listener, .events = POLLIN};

		(void)poll(&state, 1, -1);
	}
}

// Without lingering, close() drops what is unsent and keeps no TIME_WAIT.
void nl_reset(int descriptor)
{
	const struct linger at_once = {.l_onoff = 1};

	(void)setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	(void)close(descriptor);
}

struct slot {
	union address client;
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	struct iovec query;
	struct iovec reply;
};

struct nl_batch {
	struct nl_datagram datagrams[NL_BATCH];
	struct mmsghdr incoming[NL_BATCH];
	struct mmsghdr outgoing[NL_BATCH];
	struct slot slots[NL_BATCH];
	uint8_t queries[NL_BATCH][STRIDE];
	uint8_t replies[NL_BATCH][STRIDE];
	int owners[NL_BATCH]; // slots of `outgoing`
};

struct nl_batch *nl_batch_create(void)
{
	struct nl_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	for (int i = 0; i < NL_BATCH; i++) {
		struct slot *slot = &batch->slots[i];
		struct msghdr *header = &batch->incoming[i].msg_hdr;

		slot->query = (struct iovec){.iov_base = batch->queries[i], .iov_len = NL_DATAGRAM};
		slot->reply.iov_base = batch->replies[i];
		header->msg_name = &slot->client;
		header->msg_iov = &slot->query;
		header->msg_iovlen = 1;
		header->msg_control = slot->control;
		batch->datagrams[i].query = batch->queries[i];
		batch->datagrams[i].reply = batch->replies[i];
	}
	return batch;
}

void nl_batch_destroy(struct nl_batch *batch)
{
	free(batch);
}

struct nl_datagram *nl_batch_slots(struct nl_batch *batch)
{
	return batch->datagrams;
}

// What a former reply met on its way. The kernel keeps one such error for a connected socket (a retired one is) and
// gives it to the next call, whatever that is.
static bool is_of_the_past(int error)
{
	return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH || error == EPROTO;
}

int nl_udp_receive(int descriptor, struct nl_batch *batch, bool wait)
{
	for (int i = 0; i < NL_BATCH; i++) {
		batch->incoming[i].msg_hdr.msg_namelen = sizeof(union address);
		batch->incoming[i].msg_hdr.msg_controllen = sizeof(batch->slots[i].control);
	}
	const int flags = wait ? MSG_WAITFORONE : MSG_DONTWAIT;
	int count = recvmmsg(descriptor, batch->incoming, NL_BATCH, flags, NULL);

	if (count < 0 && is_of_the_past(errno))
		count = recvmmsg(descriptor, batch->incoming, NL_BATCH, flags, NULL);

	if (count < 0)
		return errno == EAGAIN ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		// No sender: not a datagram but the end of a retired socket's queue.
		if (batch->incoming[i].msg_hdr.msg_namelen == 0)
			return i;
		batch->datagrams[i].query_length = batch->incoming[i].msg_len;
		batch->datagrams[i].reply_length = 0;
		from_socket_address(&batch->slots[i].client, &batch->datagrams[i].client);
	}
	return count;
}

// Turns the control message of a query (where a wildcard was asked) into that of its reply: the address asked becomes
// the source. The interface is left to routing, save for link-local addresses, which mean nothing without one.
static void reply_from_asked_address(struct msghdr *header)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo *info = (struct in_pktinfo *)CMSG_DATA(c);

			info->ipi_ifindex = 0;
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo *info = (struct in6_pktinfo *)CMSG_DATA(c);

			if (!IN6_IS_ADDR_LINKLOCAL(&info->ipi6_addr))
				info->ipi6_ifindex = 0;
		}
	}
}

static int gather_replies(struct nl_batch *batch, int count)
{
	int filled = 0;

	for (int i = 0; i < count; i++) {
		const uint32_t length = batch->datagrams[i].reply_length;

		batch->datagrams[i].too_long = false;
		if (length == 0 || length > NL_DATAGRAM)
			continue;
		struct msghdr *header = &batch->outgoing[filled].msg_hdr;

		batch->owners[filled++] = i;
		*header = batch->incoming[i].msg_hdr;
		batch->slots[i].reply.iov_len = length;
		header->msg_iov = &batch->slots[i].reply;
		header->msg_flags = 0;
		if (header->msg_controllen > 0)
			reply_from_asked_address(header);
		else
			header->msg_control = NULL;
	}
	return filled;
}

// Whether a send that failed may succeed when tried again, after a wait where that helps. `tries` bounds a batch, so
// that a card without room costs milliseconds and never the service.
static bool may_try_again(int descriptor, int error, int *tries)
{
	if (error == EINTR)
		return true;
	if ((*tries)-- <= 0)
		return false;
	if (error == ENOBUFS || error == ENOMEM || error == EAGAIN) {
		struct pollfd room = {.fd = descriptor, .events = POLLOUT};

		// Room in the socket does not mean room in the card: the wait is for both.
		(void)poll(&room, 1, 1);
		return true;
	}
	return is_of_the_past(error);
}

struct nl_sent nl_udp_send(int descriptor, struct nl_batch *batch, int count)
{
	const int filled = gather_replies(batch, count);
	struct nl_sent sent = {0};
	int next = 0, tries = 8;

	while (next < filled) {
		const int done = sendmmsg(descriptor, batch->outgoing + next, filled - next, 0);

		if (done > 0) {
			next += done;
			sent.left += done;
			continue;
		}
		const int error = errno;

		if (!may_try_again(descriptor, error, &tries)) {
			// This reply cannot leave; the others may.
			if (error == EMSGSIZE) {
				batch->datagrams[batch->owners[next]].too_long = true;
				sent.too_long++;
			} else {
				sent.refused++;
			}
			next++;
		}
	}
	return sent;
}

uint32_t nl_udp_overflowed(int descriptor)
{
	uint32_t values[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(values);

	if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, values, &length) != 0)
		return 0;
	return values[SK_MEMINFO_DROPS];
}

void nl_name_thread(const char *name)
{
	(void)pthread_setname_np(pthread_self(), name);
}

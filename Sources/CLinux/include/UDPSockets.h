// SPDX-License-Identifier: Apache-2.0
// Sockets of the DNS listeners: options and batched datagrams.
//
// Why in C: `mmsghdr`, `recvmmsg` and `sendmmsg` are GNU features outside Swift's Glibc module, the control message
// macros (CMSG_DATA …) are not imported, and socket address types are pointer casts that Swift cannot express without
// copies.
//
// Life of a batch: it is created once per thread. nl_udp_receive fills `query…` and `client…` of
// the first n slots. The caller sets `reply_length` of each (0: no reply). nl_udp_send sends those
// replies to the client, from the address that was queried. Replies that were too long may be
// shortened and sent again, with the other slots' `reply_length` 0. The next receive starts over.
// Nothing is allocated between create and destroy.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An IP address and a port in host byte order. An IPv4 address is the low 32 bits of `low`.
struct nl_endpoint {
	uint64_t high;
	uint64_t low;
	uint32_t interface; // scope of a link-local IPv6 address, otherwise 0
	uint16_t port;
	bool ipv6;
};

enum nl_transport {
	NL_UDP,
	NL_TCP
};

// What nl_open_listener opens, and how.
enum nl_open_flags {
	NL_SHARED = 1, // SO_REUSEPORT: several sockets, also of several processes of one user, share the address
	NL_QUEUE = 2,  // TCP: also listens, so that connections queue from now on
	NL_ABSENT = 4, // the address need not be on the host: it may come later
};

// Opens and binds a socket (close-on-exec; UDP blocking, TCP non-blocking). The descriptor, or
// -errno.
int nl_open_listener(enum nl_transport transport, const struct nl_endpoint *at, unsigned flags);

// Whether the address of `at` is on the host, so that packets to it reach a socket: 1, 0 (also while
// the kernel still checks an IPv6 address for a duplicate), or -errno.
int nl_has_address(const struct nl_endpoint *at);

// The address that the socket is bound to (with the actual port if 0 was requested). 0, or -errno.
int nl_local_endpoint(int descriptor, struct nl_endpoint *out);

// Makes the kernel choose among the first `sockets` (at least 1) sockets that share this one's
// address, whatever is bound to it later: a successor that does not read yet gets nothing. If the
// kernel refuses, nothing changes.
void nl_keep_address(int descriptor, unsigned sockets);

// Makes the kernel choose among all sockets of the address again.
void nl_share_address(int descriptor);

// Takes a bound UDP socket out of service. The kernel delivers new datagrams to the other sockets
// of the address. Queued datagrams stay readable, and a waiting receive returns.
void nl_udp_retire(int descriptor);

// Directs new connections to the second listener of the address, that of a successor, if there is
// one. Queued connections stay. Without a second listener nothing changes.
void nl_tcp_retire(int descriptor);

// Waits for the next connection of a non-blocking listener. Returns its descriptor (non-blocking
// too) and the client's endpoint, or -errno; -EINVAL once the listener was shut down.
int nl_accept(int listener, struct nl_endpoint *client);

// Closes a connection with a reset.
void nl_reset(int descriptor);

#define NL_BATCH    64
#define NL_DATAGRAM 4096

// One datagram and its reply. Both buffers hold NL_DATAGRAM bytes.
struct nl_datagram {
	const uint8_t *query;
	uint8_t *reply;
	uint32_t query_length; // a longer datagram is cut at NL_DATAGRAM
	uint32_t reply_length;
	bool too_long; // the last send found the reply too long for its path
	struct nl_endpoint client;
};

struct nl_batch;

// A batch of NL_BATCH slots. NULL when memory is short.
struct nl_batch *nl_batch_create(void);
void nl_batch_destroy(struct nl_batch *batch);

// The NL_BATCH slots. Their address does not change during the life of the batch.
struct nl_datagram *nl_batch_slots(struct nl_batch *batch);

// Waits for one datagram (unless `wait` is false) and takes whatever else is queued. The count; 0
// when a retired socket has nothing left or nothing is queued; -errno. An ICMP error for an earlier
// reply is not an error of this call.
int nl_udp_receive(int descriptor, struct nl_batch *batch, bool wait);

// The outcomes of a batch's replies. Every reply has exactly one.
struct nl_sent {
	uint32_t left;	       // given to the network
	uint32_t too_long;     // longer than the interface sends without fragments (EMSGSIZE)
	uint32_t refused;      // no route, a filter, or an impossible address
	uint32_t no_room;      // the send buffer was full, or memory short
	uint32_t no_neighbour; // many replies wait to be sent, and the kernel is still resolving this neighbour
};

struct nl_neighbours;

// Sends the replies of the first `count` slots, and sets `too_long` of each. Never waits. Without
// `neighbours` (NULL), replies to unreachable neighbours fill the send buffer of all.
struct nl_sent nl_udp_send(int descriptor, struct nl_batch *batch, int count, struct nl_neighbours *neighbours);

// Datagrams that the kernel dropped since the socket was created because its queue was full; wraps.
// 0 when unknown.
uint32_t nl_udp_overflowed(int descriptor);

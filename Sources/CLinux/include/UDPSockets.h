// SPDX-License-Identifier: Apache-2.0
// Sockets of the DNS listeners: options and batched datagrams.
//
// Why in C: `mmsghdr`, `recvmmsg` and `sendmmsg` are GNU features outside Swift's Glibc module, the control message
// macros (CMSG_DATA …) are not imported, and socket address types are pointer casts that Swift cannot express without
// copies.
//
// Life of a batch: created once for a thread; nl_udp_receive fills `query…` and `client…` of the first n slots; the
// caller sets `reply_length` of each (0: no reply); nl_udp_send sends those, to the client and from the address that
// was asked. Replies that were too long may be made shorter and sent again, with the other slots' `reply_length` 0; the
// next receive starts over. Nothing is allocated between create and destroy.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An IP address and a port in host byte order; an IPv4 address is the low 32 bits of `low`.
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
};

// Opens and binds a socket (close-on-exec; UDP blocking, TCP non-blocking). The descriptor, or -errno.
int nl_open_listener(enum nl_transport transport, const struct nl_endpoint *at, unsigned flags);

// The address the socket is bound to (the port the kernel chose when 0 was asked). 0, or -errno.
int nl_local_endpoint(int descriptor, struct nl_endpoint *out);

// Has the kernel choose among the first `sockets` (at least 1) sockets that share the address of this one, whatever
// others are bound to it later: a successor that does not read yet takes nothing. Where the kernel refuses nothing
// changes.
void nl_keep_address(int descriptor, unsigned sockets);

// Has the kernel choose among all sockets of the address again.
void nl_share_address(int descriptor);

// Takes a bound UDP socket out of service: the kernel delivers new datagrams to the other sockets of the address, those
// queued stay readable, a waiting receive returns.
void nl_udp_retire(int descriptor);

// Lets new connections go to the second listener of the address, that of a successor, where there is one; those that
// are queued stay. Without a second one nothing changes.
void nl_tcp_retire(int descriptor);

// Waits for the next connection of a listener that does not block. Returns its descriptor (which does not block either)
// and the client's endpoint, or -errno; -EINVAL once the listener was shut down.
int nl_accept(int listener, struct nl_endpoint *client);

// Closes a connection with a reset.
void nl_reset(int descriptor);

#define NL_BATCH    64
#define NL_DATAGRAM 4096

// One datagram and its reply; both buffers hold NL_DATAGRAM bytes.
struct nl_datagram {
	const uint8_t *query;
	uint8_t *reply;
	uint32_t query_length; // a longer datagram is cut at NL_DATAGRAM
	uint32_t reply_length;
	bool too_long; // the last send found the reply too long for its path
	struct nl_endpoint client;
};

struct nl_batch;

// A batch of NL_BATCH slots; NULL when memory is short.
struct nl_batch *nl_batch_create(void);
void nl_batch_destroy(struct nl_batch *batch);

// The slots, NL_BATCH of them, at one place for the life of the batch.
struct nl_datagram *nl_batch_slots(struct nl_batch *batch);

// Waits for one datagram (unless `wait` is false) and takes what else is queued.
// The count; 0 when a retired socket has nothing left or nothing is queued; -errno. What ICMP reported of an earlier
// reply is not an error of this call.
int nl_udp_receive(int descriptor, struct nl_batch *batch, bool wait);

// What became of a batch's replies. Every reply is one of these.
struct nl_sent {
	uint32_t left;	       // given to the network
	uint32_t too_long;     // longer than the interface sends without fragments (EMSGSIZE)
	uint32_t refused;      // no route, a filter, or an impossible address
	uint32_t no_room;      // the send buffer was full, or memory short
	uint32_t no_neighbour; // much waits to be sent, and the kernel is still asking for this neighbour's address
};

struct nl_neighbours;

// Sends the replies of the first `count` slots, and sets `too_long` of each. Never waits. Without `neighbours` (NULL)
// replies for those that cannot be found fill the buffer of all.
struct nl_sent nl_udp_send(int descriptor, struct nl_batch *batch, int count, struct nl_neighbours *neighbours);

// Datagrams that the kernel dropped since the socket was made because its queue was full; wraps. 0 when it does not
// say.
uint32_t nl_udp_overflowed(int descriptor);

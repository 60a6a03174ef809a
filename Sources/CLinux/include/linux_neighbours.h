// SPDX-License-Identifier: Apache-2.0
// Neighbours whose link-layer address the kernel is still resolving (ARP, Neighbor Discovery).
//
// Why it matters: the kernel keeps datagrams for such a neighbour, up to 212,992 bytes each, until
// it gives up after three seconds, and counts them against the send buffer of the socket. Queries
// with forged senders on the server's own subnet fill that buffer with replies that no host waits
// for. They also fill the kernel's neighbour table (1,024 entries per family), which then has no
// entry left for a client or the gateway. A sender that knows these addresses can drop such
// replies.
//
// Why in C: netlink messages are pointer arithmetic by macros that Swift does not import.
//
//     UDP threads ── send queue is long: nl_neighbours_ask ──► eventfd
//          ▲                                                      │
//          └── nl_neighbours_lacks: atomic loads ◄── table ◄── nl_neighbours_watch (a thread: dumps, may block)
#pragma once

#include "UDPSockets.h"

struct nl_neighbours;

// Opens the resources in the calling thread's network namespace. NULL: no memory or no descriptor
// (errno).
struct nl_neighbours *nl_neighbours_open(void);
// Call it when the watching thread has ended and no other thread uses the table.
void nl_neighbours_close(struct nl_neighbours *neighbours);

// Asks the watching thread to read the tables. Any thread; never blocks.
void nl_neighbours_ask(struct nl_neighbours *neighbours);

// Reads the kernel's tables whenever asked, at most once in 10 ms. Blocks; returns after
// nl_neighbours_end.
void nl_neighbours_watch(struct nl_neighbours *neighbours);
void nl_neighbours_end(struct nl_neighbours *neighbours);

// Whether a reply to this address would most likely wait in vain, according to the kernel's tables
// as last read: the kernel is resolving its link address; or the address is on a network of the
// host, unknown to the kernel, and so many others are being resolved that one more may be too many.
// A host that asked for the server's link address first, as every real one does, is known. False
// when the tables were read more than 50 ms ago. Any thread; never blocks.
bool nl_neighbours_lacks(const struct nl_neighbours *neighbours, const struct nl_endpoint *who);

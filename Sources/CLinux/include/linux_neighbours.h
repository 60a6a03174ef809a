// SPDX-License-Identifier: Apache-2.0
// Neighbours whose link-layer address the kernel is still asking for (ARP, Neighbor Discovery).
//
// Why it matters: the kernel keeps every datagram for such a neighbour, up to 212,992 bytes for each of them, until it
// gives up after three seconds, and counts all of them against the send buffer of the socket. Queries with forged
// senders on the server's own subnet fill that buffer with replies that nobody waits for. They also fill the kernel's
// table of neighbours (1,024 entries of each family), and then it has no place for a client's or the gateway's. A
// sender that knows these addresses can leave such replies out.
//
// Why in C: netlink messages are pointer arithmetic by macros that Swift does not import.
//
//     UDP threads ── send queue is long: nl_neighbours_ask ──► eventfd
//          ▲                                                      │
//          └── nl_neighbours_lacks: atomic loads ◄── table ◄── nl_neighbours_watch (a thread: dumps, may block)
#pragma once

#include "UDPSockets.h"

struct nl_neighbours;

// Opens what is needed in the calling thread's network namespace. NULL: no memory or no descriptor (errno).
struct nl_neighbours *nl_neighbours_open(void);
// The watching thread has ended, and nobody uses it any more.
void nl_neighbours_close(struct nl_neighbours *neighbours);

// Asks the watching thread for a look. Any thread; never blocks.
void nl_neighbours_ask(struct nl_neighbours *neighbours);

// Reads the kernel's tables, at most once in 10 ms, whenever it was asked to. Blocks; returns after nl_neighbours_end.
void nl_neighbours_watch(struct nl_neighbours *neighbours);
void nl_neighbours_end(struct nl_neighbours *neighbours);

// Whether a reply to this address would most likely wait in vain, by the kernel's tables as they were read last: the
// kernel is asking for its link address; or it is on a network of the host's, is not known to the kernel, and so many
// others are being asked for that one more may be one too many. A host that asks for the server's link address first,
// as every real one does, is known. False when the tables were read more than 50 ms ago. Any thread; never blocks.
bool nl_neighbours_lacks(const struct nl_neighbours *neighbours, const struct nl_endpoint *who);

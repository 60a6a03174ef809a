// SPDX-License-Identifier: Apache-2.0
// Batches of datagrams with both addresses. recvmmsg, sendmmsg, struct mmsghdr (_GNU_SOURCE) and the CMSG_ macros are
// not importable; the control messages stay on this side.
#pragma once

#include <stdint.h>

/// Datagrams one call moves at most.
#define LINUX_BATCH_MAX 64

/// An IPv4 or IPv6 socket address.
struct linux_address {
    uint8_t bytes[16];  // network order; the first 4 for IPv4, the others zero
    uint32_t scope;     // IPv6 scope id, else 0
    uint16_t port;      // host order
    uint8_t family;     // 4 or 6; 0: none known
    uint8_t truncated;  // of a received datagram's peer: 1 when the buffer was too short for it
};

/// One datagram: a buffer of the caller and where it came from, or goes to.
struct linux_datagram {
    void *data;
    uint32_t capacity;           // bytes at `data`; used by receive
    uint32_t length;             // bytes of the datagram; set by receive, used by send
    uint32_t interface;          // index of the interface it arrived on; send uses it for link-local addresses only
    uint32_t reserved;           // zero
    struct linux_address peer;   // sender, or receiver
    struct linux_address local;  // the address on this host, port 0; family 0: the kernel chooses the source
};

/// Asks the kernel to tell the local address of each datagram (IP_PKTINFO, IPV6_RECVPKTINFO); `family` is 4 or 6.
int linux_enable_local_address(int socket, int family);

/// Receives up to `count` datagrams (recvmmsg). Blocks, unless the socket does not, for the first one only.
/// Sets length, interface, peer and local of as many as it returns. `flags`: MSG_DONTWAIT or 0.
int linux_receive(int socket, struct linux_datagram *datagrams, unsigned int count, int flags);

/// Sends up to `count` datagrams (sendmmsg), each from its local address. Returns how many the kernel took; a failure
/// is returned only when the first one failed.
int linux_send(int socket, const struct linux_datagram *datagrams, unsigned int count, int flags);

// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

_Static_assert(sizeof(struct linux_address) == 24, "shared with Swift");
_Static_assert(sizeof(struct linux_datagram) == 72, "shared with Swift");

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

// Room for the larger of the two packet informations, aligned as a header must be.
union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

struct batch {
    struct mmsghdr messages[LINUX_BATCH_MAX];
    struct iovec buffers[LINUX_BATCH_MAX];
    union socket_address peers[LINUX_BATCH_MAX];
    union control controls[LINUX_BATCH_MAX];
};

static unsigned int limited(unsigned int count)
{
    return count < LINUX_BATCH_MAX ? count : LINUX_BATCH_MAX;
}

int linux_enable_local_address(int socket, int family)
{
    int on = 1;
    int failed = family == 4 ? setsockopt(socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on))
                             : setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
    return failed ? -errno : 0;
}

static void read_peer(const union socket_address *from, struct linux_address *to)
{
    memset(to, 0, sizeof(*to));
    if (from->any.sa_family == AF_INET) {
        to->family = 4;
        to->port = ntohs(from->v4.sin_port);
        memcpy(to->bytes, &from->v4.sin_addr, 4);
    } else if (from->any.sa_family == AF_INET6) {
        to->family = 6;
        to->port = ntohs(from->v6.sin6_port);
        to->scope = from->v6.sin6_scope_id;
        memcpy(to->bytes, &from->v6.sin6_addr, 16);
    }
}

static void read_local(struct msghdr *header, struct linux_datagram *datagram)
{
    struct linux_address *local = &datagram->local;

    memset(local, 0, sizeof(*local));
    datagram->interface = 0;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(header); item; item = CMSG_NXTHDR(header, item)) {
        if (item->cmsg_level == IPPROTO_IP && item->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(item), sizeof(info));
            local->family = 4;
            memcpy(local->bytes, &info.ipi_addr, 4);
            datagram->interface = (uint32_t)info.ipi_ifindex;
        } else if (item->cmsg_level == IPPROTO_IPV6 && item->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(item), sizeof(info));
            local->family = 6;
            memcpy(local->bytes, &info.ipi6_addr, 16);
            datagram->interface = info.ipi6_ifindex;
        }
    }
}

int linux_receive(int socket, struct linux_datagram *datagrams, unsigned int count, int flags)
{
    struct batch batch;

    count = limited(count);
    for (unsigned int i = 0; i < count; i++) {
        batch.buffers[i] = (struct iovec){.iov_base = datagrams[i].data, .iov_len = datagrams[i].capacity};
        batch.messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch.peers[i],
            .msg_namelen = sizeof(batch.peers[i]),
            .msg_iov = &batch.buffers[i],
            .msg_iovlen = 1,
            .msg_control = &batch.controls[i],
            .msg_controllen = sizeof(batch.controls[i]),
        };
    }

    int received = recvmmsg(socket, batch.messages, count, flags | MSG_WAITFORONE, NULL);
    if (received < 0)
        return -errno;
    for (int i = 0; i < received; i++) {
        struct msghdr *header = &batch.messages[i].msg_hdr;

        datagrams[i].length = batch.messages[i].msg_len;
        read_peer(&batch.peers[i], &datagrams[i].peer);
        datagrams[i].peer.truncated = (header->msg_flags & MSG_TRUNC) != 0;
        read_local(header, &datagrams[i]);
    }
    return received;
}

static socklen_t write_peer(const struct linux_address *from, union socket_address *to)
{
    memset(to, 0, sizeof(*to));
    if (from->family == 4) {
        to->v4.sin_family = AF_INET;
        to->v4.sin_port = htons(from->port);
        memcpy(&to->v4.sin_addr, from->bytes, 4);
        return sizeof(to->v4);
    }
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons(from->port);
    to->v6.sin6_scope_id = from->scope;
    memcpy(&to->v6.sin6_addr, from->bytes, 16);
    return sizeof(to->v6);
}

// Names the source address. The interface stays open, so that routing decides, but where the address means nothing
// without it.
static size_t write_local(const struct linux_datagram *from, union control *to)
{
    if (from->local.family == 0)
        return 0;
    memset(to, 0, sizeof(*to));
    if (from->local.family == 4) {
        struct in_pktinfo info = {0};
        memcpy(&info.ipi_spec_dst, from->local.bytes, 4);
        to->align.cmsg_level = IPPROTO_IP;
        to->align.cmsg_type = IP_PKTINFO;
        to->align.cmsg_len = CMSG_LEN(sizeof(info));
        memcpy(CMSG_DATA(&to->align), &info, sizeof(info));
        return CMSG_SPACE(sizeof(info));
    }
    struct in6_pktinfo info = {0};
    memcpy(&info.ipi6_addr, from->local.bytes, 16);
    if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr))
        info.ipi6_ifindex = from->interface;
    to->align.cmsg_level = IPPROTO_IPV6;
    to->align.cmsg_type = IPV6_PKTINFO;
    to->align.cmsg_len = CMSG_LEN(sizeof(info));
    memcpy(CMSG_DATA(&to->align), &info, sizeof(info));
    return CMSG_SPACE(sizeof(info));
}

int linux_send(int socket, const struct linux_datagram *datagrams, unsigned int count, int flags)
{
    struct batch batch;

    count = limited(count);
    for (unsigned int i = 0; i < count; i++) {
        size_t control = write_local(&datagrams[i], &batch.controls[i]);

        batch.buffers[i] = (struct iovec){.iov_base = datagrams[i].data, .iov_len = datagrams[i].length};
        batch.messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch.peers[i],
            .msg_namelen = write_peer(&datagrams[i].peer, &batch.peers[i]),
            .msg_iov = &batch.buffers[i],
            .msg_iovlen = 1,
            .msg_control = control ? &batch.controls[i] : NULL,
            .msg_controllen = control,
        };
    }

    int sent = sendmmsg(socket, batch.messages, count, flags);
    return sent < 0 ? -errno : sent;
}

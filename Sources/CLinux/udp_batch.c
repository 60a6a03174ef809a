// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "linux_neighbours.h"
#include "socket_address.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>

// Buffers are offset by one cache line from multiples of 4,096: equal offsets would compete for the
// same cache sets.
#define STRIDE (NL_DATAGRAM + 64)
// Bytes of replies waiting in the kernel, of at most 4 MiB. Above this, some replies may be stuck:
// those to unresolved neighbours are dropped, so that the rest of the buffer is free for others.
#define CROWDED (64 << 10)

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

// Clears the error of an earlier reply. The kernel keeps one for a connected socket (a retired one
// is connected) and returns it from the next call, whatever that is.
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
		// No sender: this is not a datagram but the end of a retired socket's queue.
		if (batch->incoming[i].msg_hdr.msg_namelen == 0)
			return i;
		batch->datagrams[i].query_length = batch->incoming[i].msg_len;
		batch->datagrams[i].reply_length = 0;
		nl_from_socket_address(&batch->slots[i].client, &batch->datagrams[i].client);
	}
	return count;
}

// Turns the control message of a query to a wildcard socket into that of its reply: the queried
// address becomes the source. Routing chooses the interface, except for link-local addresses, which
// need one.
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

static int gather_replies(struct nl_batch *batch, int count, const struct nl_neighbours *stuck, struct nl_sent *sent)
{
	int filled = 0;

	for (int i = 0; i < count; i++) {
		const uint32_t length = batch->datagrams[i].reply_length;

		batch->datagrams[i].too_long = false;
		if (length == 0 || length > NL_DATAGRAM)
			continue;
		if (stuck && nl_neighbours_lacks(stuck, &batch->datagrams[i].client)) {
			sent->no_neighbour++;
			continue;
		}
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

static bool is_crowded(int descriptor)
{
	int waiting = 0;

	return ioctl(descriptor, SIOCOUTQ, &waiting) == 0 && waiting > CROWDED;
}

// Counts a reply that cannot be sent, by reason. The others may still be sent.
static void give_up(struct nl_datagram *datagram, int error, struct nl_sent *sent)
{
	if (error == EMSGSIZE) {
		datagram->too_long = true;
		sent->too_long++;
	} else if (error == EAGAIN || error == ENOBUFS || error == ENOMEM) {
		sent->no_room++;
	} else {
		sent->refused++;
	}
}

// Never waits for room: a thread that waited for one reply would delay all clients.
struct nl_sent nl_udp_send(int descriptor, struct nl_batch *batch, int count, struct nl_neighbours *neighbours)
{
	const bool crowded = neighbours && is_crowded(descriptor);
	struct nl_sent sent = {0};
	const int filled = gather_replies(batch, count, crowded ? neighbours : NULL, &sent);
	int next = 0, tries = 8;

	if (crowded)
		nl_neighbours_ask(neighbours);
	while (next < filled) {
		const int done = sendmmsg(descriptor, batch->outgoing + next, filled - next, MSG_DONTWAIT);

		if (done > 0) {
			next += done;
			sent.left += done;
		} else if (errno != EINTR && (!is_of_the_past(errno) || tries-- <= 0)) {
			give_up(&batch->datagrams[batch->owners[next++]], errno, &sent);
		}
	}
	return sent;
}

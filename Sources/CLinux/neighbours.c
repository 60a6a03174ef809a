// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <endian.h>
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The kernel keeps at most 1,024 neighbours per family unless its limit was raised (gc_thresh3).
#define PLACES 8192
#define PROBES 16
// With less than half of the slots taken, nearly every entry finds one. Above that, an address that
// is not in the table may still be known.
#define MOST (PLACES / 2)
// This many unanswered requests are abnormal, and a quarter of what the kernel has room for.
#define MANY	 256
#define NETWORKS 64
#define PAUSE_MS 10
#define FRESH_MS 50
#define ANSWER	 32768

// A network of the host: its prefix and mask. IPv4 in the low 32 bits of `low`.
struct network {
	_Atomic uint64_t high, low, mask_high, mask_low;
};

// A slot holds the hash of an address (48 bits), whether the kernel is resolving it (1 bit), and
// the number of the scan that saw it (15 bits). An address without a free slot has no entry.
struct nl_neighbours {
	_Atomic uint64_t places[PLACES];
	struct network networks[2][NETWORKS]; // of IPv4, and of IPv6
	_Atomic int network_count[2];
	_Atomic int sought;	 // neighbours that the kernel is resolving
	_Atomic int known;	 // others
	_Atomic uint32_t look;	 // number of the last complete one
	_Atomic uint64_t looked; // when it ended, in ms of the monotonic clock; 0: never
	_Atomic bool is_ending;
	uint64_t secret; // so that no sender can choose addresses that collide with another's
	int netlink;
	int wakeup;
	uint8_t answer[ANSWER];
};

static uint64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
	value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
	return value ^ value >> 32;
}

static uint64_t hash_of(const struct nl_neighbours *n, bool ipv6, uint64_t high, uint64_t low)
{
	return mix(mix(mix(n->secret ^ ipv6) ^ high) ^ low);
}

#define HASH_BITS (~0xffffULL)
#define SOUGHT	  0x8000
#define LOOK_BITS 0x7fff

struct nl_neighbours *nl_neighbours_open(void)
{
	struct nl_neighbours *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	n->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (n->netlink < 0 || n->wakeup < 0 || getrandom(&n->secret, sizeof(n->secret), 0) != sizeof(n->secret)) {
		const int error = errno;

		nl_neighbours_close(n);
		errno = error;
		return NULL;
	}
	return n;
}

void nl_neighbours_close(struct nl_neighbours *n)
{
	if (n->netlink >= 0)
		close(n->netlink);
	if (n->wakeup >= 0)
		close(n->wakeup);
	free(n);
}

void nl_neighbours_ask(struct nl_neighbours *n)
{
	// Once per interval is enough: a system call per batch would cost more than it gains.
	if (milliseconds() - atomic_load_explicit(&n->looked, memory_order_relaxed) >= PAUSE_MS)
		(void)eventfd_write(n->wakeup, 1);
}

void nl_neighbours_end(struct nl_neighbours *n)
{
	atomic_store(&n->is_ending, true);
	(void)eventfd_write(n->wakeup, 1);
}

static void enter(struct nl_neighbours *n, uint64_t hash, bool sought, uint32_t look)
{
	const uint64_t entry = (hash & HASH_BITS) | (sought ? SOUGHT : 0) | (look & LOOK_BITS);

	for (int i = 0; i < PROBES; i++) {
		_Atomic uint64_t *place = &n->places[(hash + i) % PLACES];
		const uint64_t found = atomic_load_explicit(place, memory_order_relaxed);

		if ((found & LOOK_BITS) == (look & LOOK_BITS) && ((found ^ hash) & HASH_BITS))
			continue;
		atomic_store_explicit(place, entry, memory_order_relaxed);
		return;
	}
}

// Counters of a scan.
struct look {
	uint32_t number;
	int sought;
	int known;
	int networks[2];
};

// Reads an address attribute as words in host order. False when its length is not that of the
// family.
static bool read_address(const struct rtattr *a, bool ipv6, uint64_t *high, uint64_t *low)
{
	uint64_t words[2];
	uint32_t word;

	if (RTA_PAYLOAD(a) != (ipv6 ? sizeof(words) : sizeof(word)))
		return false;
	if (!ipv6) {
		memcpy(&word, RTA_DATA(a), sizeof(word));
		*high = 0;
		*low = be32toh(word);
		return true;
	}
	memcpy(words, RTA_DATA(a), sizeof(words));
	*high = be64toh(words[0]);
	*low = be64toh(words[1]);
	return true;
}

static void read_neighbour(struct nl_neighbours *n, struct nlmsghdr *message, struct look *look)
{
	struct ndmsg *neighbour = NLMSG_DATA(message);
	int left = (int)message->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*neighbour));
	const bool ipv6 = neighbour->ndm_family == AF_INET6, sought = neighbour->ndm_state & NUD_INCOMPLETE;
	uint64_t high, low;

	// A neighbour that could not be resolved counts as unknown.
	if (left < 0 || neighbour->ndm_state & NUD_FAILED || (!ipv6 && neighbour->ndm_family != AF_INET))
		return;
	for (struct rtattr *a = (struct rtattr *)(neighbour + 1); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type != NDA_DST || !read_address(a, ipv6, &high, &low))
			continue;
		enter(n, hash_of(n, ipv6, high, low), sought, look->number);
		*(sought ? &look->sought : &look->known) += 1;
	}
}

static uint64_t mask_of(int bits)
{
	return bits <= 0 ? 0 : bits >= 64 ? ~0ULL : ~(~0ULL >> bits);
}

static void read_network(struct nl_neighbours *n, struct nlmsghdr *message, struct look *look)
{
	struct ifaddrmsg *address = NLMSG_DATA(message);
	int left = (int)message->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*address));
	const bool ipv6 = address->ifa_family == AF_INET6;
	const int bits = address->ifa_prefixlen;
	uint64_t high, low;

	if (left < 0 || (!ipv6 && address->ifa_family != AF_INET))
		return;
	for (struct rtattr *a = (struct rtattr *)(address + 1); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		// On a point-to-point link this is the other end, elsewhere the host itself.
		if (a->rta_type != IFA_ADDRESS || !read_address(a, ipv6, &high, &low) ||
		    look->networks[ipv6] == NETWORKS)
			continue;
		struct network *network = &n->networks[ipv6][look->networks[ipv6]++];
		const uint64_t mask_high = mask_of(bits), mask_low = ipv6 ? mask_of(bits - 64) : mask_of(bits) >> 32;

		atomic_store(&network->mask_high, mask_high);
		atomic_store(&network->mask_low, mask_low);
		atomic_store(&network->high, high & mask_high);
		atomic_store(&network->low, low & mask_low);
	}
}

// Takes one message of a dump. False when it was the last, or none came.
static bool take_answer(struct nl_neighbours *n, struct look *look)
{
	const ssize_t count = recv(n->netlink, n->answer, sizeof(n->answer), 0);
	uint32_t left = (uint32_t)count;

	if (count < 0)
		return errno == EINTR;
	for (struct nlmsghdr *m = (struct nlmsghdr *)n->answer; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
		if (m->nlmsg_type == NLMSG_DONE || m->nlmsg_type == NLMSG_ERROR)
			return false;
		if (m->nlmsg_type == RTM_NEWNEIGH)
			read_neighbour(n, m, look);
		else if (m->nlmsg_type == RTM_NEWADDR)
			read_network(n, m, look);
	}
	return count > 0;
}

static bool read_table(struct nl_neighbours *n, uint16_t kind, struct look *look)
{
	struct {
		struct nlmsghdr head;
		union {
			struct ndmsg neighbour;
			struct ifaddrmsg address;
		} body;
	} request = {
		.head = {.nlmsg_len = sizeof(request), .nlmsg_type = kind, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	};

	if (send(n->netlink, &request, sizeof(request), 0) != sizeof(request))
		return false;
	while (take_answer(n, look))
		;
	return true;
}

static void take_look(struct nl_neighbours *n)
{
	struct look look = {.number = atomic_load(&n->look) + 1};

	if (!read_table(n, RTM_GETNEIGH, &look) || !read_table(n, RTM_GETADDR, &look))
		return;
	for (int family = 0; family < 2; family++)
		atomic_store(&n->network_count[family], look.networks[family]);
	atomic_store(&n->sought, look.sought);
	atomic_store(&n->known, look.known);
	atomic_store(&n->look, look.number);
	atomic_store(&n->looked, milliseconds());
}

void nl_neighbours_watch(struct nl_neighbours *n)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};

	while (!atomic_load(&n->is_ending)) {
		struct pollfd waiting = {.fd = n->wakeup, .events = POLLIN};
		eventfd_t asked;

		if (poll(&waiting, 1, -1) < 0 || eventfd_read(n->wakeup, &asked) != 0 || atomic_load(&n->is_ending))
			continue;
		take_look(n);
		nanosleep(&pause, NULL);
	}
}

static bool is_on_link(const struct nl_neighbours *n, const struct nl_endpoint *who)
{
	const int count = atomic_load_explicit(&n->network_count[who->ipv6], memory_order_relaxed);

	for (int i = 0; i < count; i++) {
		const struct network *network = &n->networks[who->ipv6][i];

		if ((who->high & atomic_load_explicit(&network->mask_high, memory_order_relaxed)) ==
			    atomic_load_explicit(&network->high, memory_order_relaxed) &&
		    (who->low & atomic_load_explicit(&network->mask_low, memory_order_relaxed)) ==
			    atomic_load_explicit(&network->low, memory_order_relaxed))
			return true;
	}
	return false;
}

bool nl_neighbours_lacks(const struct nl_neighbours *n, const struct nl_endpoint *who)
{
	const uint64_t looked = atomic_load_explicit(&n->looked, memory_order_relaxed);

	if (looked == 0 || milliseconds() - looked > FRESH_MS)
		return false;
	const uint64_t hash = hash_of(n, who->ipv6, who->high, who->low);
	const uint32_t look = atomic_load_explicit(&n->look, memory_order_relaxed);

	for (int i = 0; i < PROBES; i++) {
		const uint64_t found = atomic_load_explicit(&n->places[(hash + i) % PLACES], memory_order_relaxed);

		// During a scan the table holds entries of the previous scan and of the current one.
		if (!((found ^ hash) & HASH_BITS) && ((look + 1 - (uint32_t)found) & LOOK_BITS) <= 1)
			return found & SOUGHT;
	}
	const int sought = atomic_load_explicit(&n->sought, memory_order_relaxed);
	const int known = atomic_load_explicit(&n->known, memory_order_relaxed);

	return sought >= MANY && sought + known <= MOST && is_on_link(n, who);
}

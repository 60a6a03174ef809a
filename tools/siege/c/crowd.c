// SPDX-License-Identifier: Apache-2.0
/*
 * crowd: holds TCP connections from many networks, and opens each again when it is closed.
 *
 * usage: crowd VERSION ADDRESS PORT FIRST-NETWORK NETWORKS COUNT OPENED-A-SECOND SECONDS FIRST REPEATED PERIOD
 *
 * VERSION is 4 or 6. Connections come from 10.66.N.x, or from fd66:0:N::x, with N in turn from FIRST-NETWORK on; all of
 * these have to be the machine's own (a local route). FIRST is a file of what each connection says at once, REPEATED of
 * what it says each PERIOD milliseconds; `-` is nothing. What comes back is read and thrown away. Prints one line of
 * JSON.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS	    256
#define TEXT_MAX    65536
#define TICK_MS	    5
#define HOSTS	    200
#define PATIENCE_NS 3000000000ull

static volatile sig_atomic_t stopped;

struct text {
	char bytes[TEXT_MAX];
	size_t length;
};

struct connection {
	int fd; /* -1: to be opened */
	int stands;
	uint64_t due; /* when it says something next, or is given up */
	uint64_t began;
};

static struct crowd {
	int version, port, first_network, networks, count, poll;
	struct in_addr to4;
	struct in6_addr to6;
	struct text first, repeated;
	uint64_t period, opened, stood, lost, failed, said, standing, most;
	struct connection *connections;
} crowd;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void fail(const char *what)
{
	fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void read_text(struct text *text, const char *path)
{
	ssize_t length;
	int fd;

	if (!strcmp(path, "-"))
		return;
	fd = open(path, O_RDONLY);
	length = fd < 0 ? -1 : read(fd, text->bytes, sizeof(text->bytes));
	if (length < 0)
		fail(path);
	text->length = length;
	close(fd);
}

static int bind_and_connect(int fd, int number)
{
	unsigned network = crowd.first_network + number % crowd.networks, host = 1 + number / crowd.networks % HOSTS;

	if (crowd.version == 4) {
		struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};

		from.sin_addr.s_addr = htonl(10u << 24 | 66u << 16 | network << 8 | host);
		to.sin_addr = crowd.to4;
		to.sin_port = htons(crowd.port);
		return bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
		       (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS);
	}
	struct sockaddr_in6 from = {.sin6_family = AF_INET6}, to = {.sin6_family = AF_INET6};

	inet_pton(AF_INET6, "fd66::", &from.sin6_addr);
	from.sin6_addr.s6_addr[4] = network >> 8;
	from.sin6_addr.s6_addr[5] = network;
	/* Each in a /64 of its own. */
	from.sin6_addr.s6_addr[7] = host;
	from.sin6_addr.s6_addr[15] = 1;
	to.sin6_addr = crowd.to6;
	to.sin6_port = htons(crowd.port);
	return bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
	       (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS);
}

static void open_one(int number)
{
	struct connection *one = &crowd.connections[number];
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u32 = number};
	int on = 1, fd = socket(crowd.version == 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail("socket");
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	if (bind_and_connect(fd, number) || epoll_ctl(crowd.poll, EPOLL_CTL_ADD, fd, &event)) {
		crowd.failed++;
		close(fd);
		return;
	}
	one->fd = fd;
	one->began = now();
	one->due = one->began + PATIENCE_NS;
	crowd.opened++;
}

static void close_one(struct connection *one)
{
	struct linger none = {.l_onoff = 1};

	/* A reset: no port of ours waits for two minutes. */
	setsockopt(one->fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(one->fd);
	one->fd = -1;
	if (one->stands) {
		crowd.standing--;
		crowd.lost++;
	}
	one->stands = 0;
}

/* What does not fit the socket's buffer is not said: half of a text is what an adversary says anyway. */
static void say(struct connection *one, const struct text *text)
{
	if (text->length && send(one->fd, text->bytes, text->length, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		crowd.said++;
}

static void take(struct connection *one, uint32_t events)
{
	static char sink[65536];
	ssize_t length;

	if (one->fd < 0)
		return;
	if (!one->stands && events & EPOLLOUT && !(events & (EPOLLERR | EPOLLHUP))) {
		one->stands = 1;
		crowd.stood++;
		if (++crowd.standing > crowd.most)
			crowd.most = crowd.standing;
		say(one, &crowd.first);
		/* Not all at once. */
		one->due = now() + (crowd.period ? crowd.period * (rand() % 1000) / 1000 : UINT64_MAX / 4);
	}
	if (events & (EPOLLIN | EPOLLRDHUP)) {
		while ((length = recv(one->fd, sink, sizeof(sink), 0)) > 0)
			;
		if (!length || errno != EAGAIN)
			return close_one(one);
	}
	if (events & (EPOLLERR | EPOLLHUP))
		close_one(one);
}

/* Opens what is closed, and lets those speak whose turn it is; `allowed` are opened at most. */
static void turn(uint64_t allowed)
{
	static int next;
	uint64_t time = now();

	for (int i = 0; i < crowd.count; i++) {
		struct connection *one = &crowd.connections[(next + i) % crowd.count];

		if (one->fd < 0) {
			if (allowed) {
				allowed--;
				open_one(one - crowd.connections);
			}
		} else if (time >= one->due) {
			if (!one->stands) {
				crowd.failed++;
				close_one(one);
				continue;
			}
			say(one, &crowd.repeated);
			one->due = time + (crowd.period ? crowd.period : UINT64_MAX / 4);
		}
	}
	next = (next + 97) % crowd.count;
}

static void prepare(char **argument)
{
	struct sigaction action = {.sa_handler = stop};
	struct rlimit limit;

	crowd.version = atoi(argument[1]);
	if (inet_pton(crowd.version == 4 ? AF_INET : AF_INET6, argument[2],
		      crowd.version == 4 ? (void *)&crowd.to4 : (void *)&crowd.to6) != 1)
		fail(argument[2]);
	crowd.port = atoi(argument[3]);
	crowd.first_network = atoi(argument[4]);
	crowd.networks = atoi(argument[5]);
	crowd.count = atoi(argument[6]);
	read_text(&crowd.first, argument[9]);
	read_text(&crowd.repeated, argument[10]);
	crowd.period = strtoull(argument[11], NULL, 10) * 1000000;
	crowd.poll = epoll_create1(0);
	crowd.connections = calloc(crowd.count, sizeof(*crowd.connections));
	if (crowd.poll < 0 || !crowd.connections)
		fail("start");
	for (int i = 0; i < crowd.count; i++)
		crowd.connections[i].fd = -1;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

int main(int arguments, char **argument)
{
	struct epoll_event events[EVENTS];
	uint64_t began, end, rate, allowed = 0, sum = 0, turns = 0, due;

	if (arguments != 12) {
		fprintf(stderr,
			"usage: crowd VERSION ADDRESS PORT FIRST-NETWORK NETWORKS COUNT OPENED-A-SECOND SECONDS "
			"FIRST REPEATED PERIOD\n");
		return 2;
	}
	prepare(argument);
	rate = strtoull(argument[7], NULL, 10);
	began = now();
	end = began + strtoull(argument[8], NULL, 10) * 1000000000ull;
	while (!stopped && now() < end) {
		int count = epoll_wait(crowd.poll, events, EVENTS, TICK_MS);

		for (int i = 0; i < count; i++)
			take(&crowd.connections[events[i].data.u32], events[i].events);
		if (now() < began + turns * TICK_MS * 1000000)
			continue;
		turns++;
		due = (now() - began) / 1000 * rate / 1000000;
		turn(due > allowed ? due - allowed : 0);
		/* Those that were not needed are not saved up. */
		allowed = due;
		sum += crowd.standing;
	}
	printf("{\"opened\": %llu, \"stood\": %llu, \"closed\": %llu, \"failed\": %llu, \"said\": %llu, \"most\": "
	       "%llu, "
	       "\"standing\": %.0f, \"seconds\": %.3f}\n",
	       (unsigned long long)crowd.opened, (unsigned long long)crowd.stood, (unsigned long long)crowd.lost,
	       (unsigned long long)crowd.failed, (unsigned long long)crowd.said, (unsigned long long)crowd.most,
	       turns ? (double)sum / turns : 0, (now() - began) / 1e9);
	return 0;
}

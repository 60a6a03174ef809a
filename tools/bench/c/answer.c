// SPDX-License-Identifier: Apache-2.0
/*
 * answer: a server for thousands of nodes at once, which costs little beside what asks it.
 *
 * usage: answer TCP-PORT HTTP-PORT
 *
 * Accepts at all addresses. At the first port it says nothing, at the second it answers what is asked with a page that
 * says `ok`. Prints `ready`; ends with its input.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS	256
#define BACKLOG 4096

static const char page[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

static void fail(const char *what)
{
	fprintf(stderr, "answer: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* What is waited for, and what it is: the low half of the event's data is the descriptor. */
enum kind {
	INPUT,
	SILENT_LISTENER,
	PAGE_LISTENER,
	SILENT,
	PAGE
};

static void watch(int poll, int fd, enum kind kind)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = (unsigned long long)kind << 32 | (unsigned)fd};

	if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event))
		fail("epoll_ctl");
}

static int listen_at(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG))
		fail("listen");
	return fd;
}

static void accept_all(int poll, int listener, enum kind kind)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
		watch(poll, fd, kind);
}

/* One read has the whole of a small request. */
static void serve(int fd, enum kind kind)
{
	char request[4096];
	ssize_t length = read(fd, request, sizeof(request));

	if (length < 0 && errno == EAGAIN)
		return;
	if (kind == PAGE && length > 0 && write(fd, page, sizeof(page) - 1) < 0)
		perror("answer: write");
	close(fd);
}

int main(int arguments, char **argument)
{
	struct epoll_event events[EVENTS];
	int poll = epoll_create1(0), count;

	if (arguments != 3) {
		fprintf(stderr, "usage: answer TCP-PORT HTTP-PORT\n");
		return 2;
	}
	watch(poll, STDIN_FILENO, INPUT);
	watch(poll, listen_at(atoi(argument[1])), SILENT_LISTENER);
	watch(poll, listen_at(atoi(argument[2])), PAGE_LISTENER);
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		count = epoll_wait(poll, events, EVENTS, -1);
		for (int i = 0; i < count; i++) {
			int fd = (int)(unsigned)events[i].data.u64;
			enum kind kind = events[i].data.u64 >> 32;

			if (kind == INPUT)
				return 0;
			if (kind == SILENT_LISTENER || kind == PAGE_LISTENER)
				accept_all(poll, fd, kind == PAGE_LISTENER ? PAGE : SILENT);
			else
				serve(fd, kind);
		}
	}
}

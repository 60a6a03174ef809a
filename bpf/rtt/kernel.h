/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The fields of kernel sockets that the program reads. The loader finds their offsets by name in the type information
 * of the running kernel (CO-RE), so that one object works on kernels with different layouts.
 */
#pragma once

#include <linux/types.h>

#define NC_FROM_KERNEL __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} NC_FROM_KERNEL;

struct net {
	struct ns_common ns;
} NC_FROM_KERNEL;

typedef struct {
	struct net *net;
} NC_FROM_KERNEL possible_net_t;

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
} NC_FROM_KERNEL;

struct sock_common {
	__be32 skc_daddr;
	unsigned short skc_family;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
} NC_FROM_KERNEL;

struct sock {
	struct sock_common __sk_common;
} NC_FROM_KERNEL;

struct inet_sock {
	struct sock sk;
	__be16 inet_sport;
} NC_FROM_KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
} NC_FROM_KERNEL;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 srtt_us; /* smoothed round-trip time, eighths of a microsecond; 0: none measured */
} NC_FROM_KERNEL;

/* From include/net/tcp_states.h and linux/socket.h, which programs cannot include. */
#define TCP_CLOSE  7
#define TCP_LISTEN 10
#define AF_INET	   2
#define AF_INET6   10

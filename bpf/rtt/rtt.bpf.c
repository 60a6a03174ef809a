// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Counts the round-trip times of connections to this node's own services when they close.
 *
 * This is a tracing program: it sees every state change of a TCP socket, and cannot alter any. It needs no cgroup, sets
 * nothing on sockets, and ends with the last descriptor of its link.
 */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "abi/rtt.h"
#include "kernel.h"

char _license[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nc_rtt_settings);
} rtt_settings SEC(".maps");

/*
 * User space drains this map regularly. If an element is removed while a connection is added to it, the kernel may have
 * reused it for another cell. One connection is then counted in the wrong cell, which does not affect a median.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NC_RTT_CELLS);
	__type(key, struct nc_rtt_key);
	__type(value, __u64); /* connections */
} rtt_cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NC_RTT_COUNTERS);
	__type(key, __u32); /* enum nc_rtt_counter */
	__type(value, __u64);
} rtt_counters SEC(".maps");

static __always_inline void count(__u32 counter)
{
	__u64 *value = bpf_map_lookup_elem(&rtt_counters, &counter);

	if (value)
		*value += 1;
}

/* Whether the socket belongs to a service that is measured. */
static __always_inline int is_measured(const struct tcp_sock *tcp, const struct nc_rtt_settings *settings)
{
	const struct inet_sock *inet = &tcp->inet_conn.icsk_inet;
	__u16 port = bpf_ntohs(inet->inet_sport);

	if (inet->sk.__sk_common.skc_net.net->ns.inum != settings->network_namespace)
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < NC_RTT_PORTS; i++) {
		if (i >= settings->ports)
			break;
		if (settings->port[i] == port)
			return 1;
	}
	return 0;
}

/* Writes the network of the client's address. Returns 0 if the socket has no IP address. */
static __always_inline int client_network(const struct sock_common *common, struct nc_rtt_key *key)
{
	__u32 address[3];

	if (common->skc_family == AF_INET) {
		key->family = NC_FAMILY_V4;
		key->network = (__u64)(bpf_ntohl(common->skc_daddr) & (~0U << (32 - NC_RTT_V4_PREFIX))) << 32;
		return 1;
	}
	if (common->skc_family != AF_INET6)
		return 0;
	for (int i = 0; i < 3; i++)
		address[i] = common->skc_v6_daddr.in6_u.u6_addr32[i];
	/* An IPv4 client at an IPv6 socket (RFC 4291 section 2.5.5.2). */
	if (!address[0] && !address[1] && address[2] == bpf_htonl(0xffff)) {
		key->family = NC_FAMILY_V4;
		key->network =
			(__u64)(bpf_ntohl(common->skc_v6_daddr.in6_u.u6_addr32[3]) & (~0U << (32 - NC_RTT_V4_PREFIX)))
			<< 32;
		return 1;
	}
	key->family = NC_FAMILY_V6;
	key->network =
		((__u64)bpf_ntohl(address[0]) << 32 | bpf_ntohl(address[1])) & (~0ULL << (64 - NC_RTT_V6_PREFIX));
	return 1;
}

/* Arguments of the tracepoint: the socket, its old state, its new state. */
SEC("tp_btf/inet_sock_set_state") int rtt_at_close(const __u64 *arguments)
{
	const struct nc_rtt_settings *settings;
	struct nc_rtt_key key = {};
	struct tcp_sock *tcp;
	__u64 *cell, one = 1;
	__u32 zero = 0;

	if (arguments[2] != TCP_CLOSE || arguments[1] == TCP_CLOSE || arguments[1] == TCP_LISTEN)
		return 0;
	settings = bpf_map_lookup_elem(&rtt_settings, &zero);
	tcp = bpf_skc_to_tcp_sock((void *)arguments[0]);
	if (!settings || !tcp || !is_measured(tcp, settings))
		return 0;
	if (!client_network(&tcp->inet_conn.icsk_inet.sk.__sk_common, &key))
		return 0;
	if (!tcp->srtt_us) {
		count(NC_RTT_UNMEASURED);
		return 0;
	}
	key.bucket = nc_rtt_bucket(tcp->srtt_us >> 3);
	cell = bpf_map_lookup_elem(&rtt_cells, &key);
	if (cell) {
		__sync_fetch_and_add(cell, 1);
	} else if (bpf_map_update_elem(&rtt_cells, &key, &one, BPF_NOEXIST)) {
		/* Another CPU may have created the cell meanwhile. */
		cell = bpf_map_lookup_elem(&rtt_cells, &key);
		if (!cell) {
			count(NC_RTT_LOST);
			return 0;
		}
		__sync_fetch_and_add(cell, 1);
	}
	count(NC_RTT_COUNTED);
	return 0;
}

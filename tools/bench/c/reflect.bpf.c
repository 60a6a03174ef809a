// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The least a server in XDP can do: turn a query over IPv4 around and call it a reply. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct query {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	__u8 dns[12];
} __attribute__((packed));

SEC("xdp")
int reflect(struct xdp_md *ctx)
{
	struct query *query = (void *)(long)ctx->data;
	__u8 mac[ETH_ALEN];
	__be32 address;
	__be16 port;

	if ((void *)(query + 1) > (void *)(long)ctx->data_end)
		return XDP_PASS;
	if (query->eth.h_proto != bpf_htons(ETH_P_IP) || query->ip.protocol != IPPROTO_UDP ||
	    query->udp.dest != bpf_htons(53))
		return XDP_PASS;
	__builtin_memcpy(mac, query->eth.h_dest, ETH_ALEN);
	__builtin_memcpy(query->eth.h_dest, query->eth.h_source, ETH_ALEN);
	__builtin_memcpy(query->eth.h_source, mac, ETH_ALEN);
	address = query->ip.daddr;
	query->ip.daddr = query->ip.saddr;
	query->ip.saddr = address;
	port = query->udp.dest;
	query->udp.dest = query->udp.source;
	query->udp.source = port;
	query->udp.check = 0;
	query->dns[2] |= 0x80; /* QR */
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

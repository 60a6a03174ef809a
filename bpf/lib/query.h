/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The query as the pipeline knows it: frame -> question -> EDNS -> name -> place -> selection -> reply.
 * Each step reads what earlier steps wrote, and returns NC_CONTINUE or the verdict that ends the packet.
 */
#pragma once

#include "../abi/abi.h"

#define NC_CONTINUE -1

#define NC_HEADER_BYTES 12 /* of a DNS message */

/* Offsets into a buffer are masked to its size; behind it there is room for the longest single write. */
#define NC_MESSAGE_MASK 511
#define NC_TAIL_MASK	511
#define NC_SLACK	64

/* Flags of the reply, as the third and fourth byte of the header stand. */
#define NC_FLAG_QR	  0x80
#define NC_FLAG_AA	  0x04
#define NC_FLAG_TC	  0x02
#define NC_FLAG_BADCOOKIE (7 << 8) /* the code is 23: OPT has the rest */

/* Bytes of records, the longest set of addresses, that fit every client, unless an identifier is sent. */
#define NC_ALWAYS_FITS 224

struct query {
	/* frame */
	__u8 client_mac[ETH_ALEN];
	__u8 server_mac[ETH_ALEN];
	__u32 tags;	 /* bytes of VLAN tags: 0, 4 or 8 */
	__be32 tag[2];	 /* as they stand: protocol, then control information */
	__u32 family;	 /* NC_FAMILY_V4 or NC_FAMILY_V6 */
	__u64 client[2]; /* network order; IPv4 as ::ffff:a.b.c.d */
	__u64 server[2];
	__be16 client_port;
	__be16 server_port;
	__u32 headers; /* bytes before the DNS message */
	__u32 length;  /* of the DNS message */

	/* question */
	__u32 name_length;  /* wire name, root label included */
	__u32 question_end; /* offset behind the class */
	__u16 type;
	__u64 question_sum;	   /* of its 32-bit words; what begins at an odd offset stands 8 bits higher */
	__u64 name[NC_NAME_WORDS]; /* lower case, zero-padded */

	/* EDNS */
	__u8 has_opt;
	__u8 dnssec_ok;
	__u8 has_subnet;
	__u8 subnet_source; /* prefix length */
	__u8 subnet_scope;  /* answered */
	__u8 has_nsid;	    /* asked for, and answered */
	__u8 has_cookie;    /* sent, and answered */
	__u8 cookie_valid;
	__u8 refuses;	 /* the reply is BADCOOKIE */
	__u16 subnet_at; /* offsets of options, 0 for none */
	__u16 cookie_at;
	struct nc_address subnet;
	__u64 cookie[3]; /* to be sent: the client's, then the server's two halves, as their bytes stand */

	/* decision */
	__u32 place;
	__u32 depth; /* of the leaf */
	struct nc_client who;
	struct nc_selection chosen;

	/* reply, apart from its records */
	__u16 flags; /* third and fourth byte of the header as they stand, but RD */
	__u16 answers;
	__u16 authority;
	__u16 additional;    /* without OPT */
	__u8 extended_code;  /* upper bits of the response code */
	__u8 response_class; /* enum nc_response_class */
	__u8 is_cut;	     /* without records */
	__u8 verdict;	     /* enum nc_counter, once it is sent */
	__u32 records;	     /* bytes of records, when it is sent whole */
	__u32 tail_length;   /* bytes behind the question; in memory, where the verifier forgets how it came about */

	/* What is put together of OPT: a word that is not full, where it goes, and how many bytes it has */
	__u64 out_part;
	__u32 out_at;
	__u32 out_bytes;

	/* What the reply has behind the question */
	__u8 tail[NC_TAIL_MASK + 1 + NC_SLACK] __attribute__((aligned(8)));

	/* The query; 4 bytes before it, so that the name behind the 12-byte header stands on an 8-byte boundary */
	__u32 reserved;
	__u8 message[NC_MESSAGE_MASK + 1 + NC_SLACK];
};

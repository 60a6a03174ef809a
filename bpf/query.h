/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The query as the pipeline knows it: frame -> question -> EDNS -> name -> place -> selection -> reply.
 * Each step reads what earlier steps wrote, and returns NC_CONTINUE or the verdict that ends the packet.
 */
#pragma once

#include "base.h"
#include "abi/abi.h"

#define NC_CONTINUE -1

#define NC_HEADER_BYTES 12 /* of a DNS message */

/* Offsets into a buffer are masked to its size; behind it there is room for the longest single write. */
#define NC_MESSAGE_MASK 511
#define NC_TAIL_MASK	511
#define NC_SLACK	64
#define NC_LABEL_MASK	127

/* Flags of the reply, in the third byte of the header. */
#define NC_FLAG_QR 0x80
#define NC_FLAG_AA 0x04
#define NC_FLAG_TC 0x02
/* A reply of so many bytes, and of them so many of records, fits every client with its OPT, unless an identifier is
 * sent. */
#define NC_ALWAYS_FITS	       448
#define NC_ALWAYS_FITS_RECORDS 304

/* Whose the reply's records are. */
enum query_origin {
	NC_FROM_NODES = 0, /* addresses, chosen for the client */
	NC_FROM_ZONES,	   /* the same for every client */
	NC_FROM_RECIPE,	   /* other records, made of nodes */
};

/* What takes a query over from the first program: each is verified by itself, within a budget of its own. */
enum program {
	PROGRAM_RECORDS = 0, /* answers made by a recipe */
	PROGRAMS,
};

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
	__u64 question_sum;	       /* of its 32-bit words; what begins at an odd offset stands 8 bits higher */
	__u64 name[NC_NAME_WORDS + 1]; /* lower case, zero-padded; suffixes are read beyond the end */
	__u64 suffix[NC_NAME_WORDS];   /* of the name */
	__u32 labels;		       /* without the root */
	__u8 label[NC_LABEL_MASK + 1]; /* offsets of the labels in the name, then of the root */

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
	__u8 explains;	 /* the reply has an extended error */
	__u16 subnet_at; /* offsets of options, 0 for none */
	__u16 cookie_at;
	struct nc_address subnet;
	__u64 cookie[3]; /* to be sent: the client's, then the server's two halves, as their bytes stand */

	/* decision */
	__u32 slot;   /* of the generation, the same for all of the packet */
	__u32 recipe; /* cell, for the program that answers by it */
	__u32 half;   /* of the overlay's words, the same for all of the packet */
	__u32 place;
	__u32 depth; /* of the leaf */
	struct nc_client who;
	struct nc_selection chosen;
	__u16 hint[2][NC_MAX_ANSWERS]; /* of a binding, by family: the slots chosen */
	__u32 hints[2];
	__u32 hint_ttl[2];
	__u32 besides; /* records in the additional section of services */

	/* The reply's header */
	__u8 flags; /* of its third byte, without RD */
	__u8 code;  /* RCODE */
	__be16 answers;
	__be16 authorities;
	__be16 additionals;  /* without OPT */
	__u8 extended_code;  /* upper bits of the response code */
	__u8 response_class; /* enum nc_response_class */
	__u8 verdict;	     /* enum nc_counter, once it is sent */
	__u8 origin;	     /* enum query_origin */
	__be16 error;	     /* the extended one */
	__u16 least;	     /* unless of addresses: as in nc_answer */
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

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state of one query. It lives in the per-CPU map `scratch`, because it is too large for the stack, and every
 * packet overwrites it:
 *
 *   parse_frame ─► parse_question ─► parse_edns ─► lookup and selection ─► reply ─► transmit
 *      frame          question          edns            decision           reply
 *
 * Each part is named after the phase that writes it; later phases only read it. A step returns NC_CONTINUE, or the
 * verdict (enum nc_counter) that ends the packet. Nothing is cleared between packets: a phase writes all of its part
 * that a later one reads.
 */
#pragma once

#include "base.h"
#include "abi/abi.h"
#include "dns.h"

#define NC_CONTINUE -1

/* Offsets into a buffer are masked to its size. The slack behind it has room for the longest single write. */
#define NC_MESSAGE_MASK 511
#define NC_TAIL_MASK	511
#define NC_SLACK	64
#define NC_LABEL_MASK	127

/* Where the records of the reply come from. */
enum query_origin {
	NC_FROM_NODES = 0, /* addresses of the nodes chosen for the client */
	NC_FROM_ZONES,	   /* zone data, the same for every client */
	NC_FROM_RECIPE,	   /* other record types, assembled from nodes */
};

/* Programs that the first one may end in by a tail call. Each has a verifier budget of its own. */
enum program {
	PROGRAM_RECORDS = 0, /* answers from recipes */
	PROGRAMS,
};

/*
 * Ethernet, IP and UDP headers, by parse_frame (lib/frame.h). Addresses are in network order, IPv4 as ::ffff:a.b.c.d.
 */
struct query_frame {
	__u8 client_mac[ETH_ALEN];
	__u8 server_mac[ETH_ALEN];
	__u32 tags;    /* bytes of VLAN tags: 0, 4 or 8 */
	__be32 tag[2]; /* as received: EtherType, then control information */
	__u64 client[2];
	__u64 server[2];
	__u32 family; /* NC_FAMILY_V4 or NC_FAMILY_V6 */
	__be16 client_port;
	__be16 server_port;
	__u32 headers;	      /* bytes before the DNS message */
	__u32 message_length; /* bytes of the DNS message */
};

/* The question, by parse_question and read_name (lib/question.h). */
struct query_question {
	__u32 name_length; /* of the wire name, root label included */
	__u32 end;	   /* offset in the message of the first byte behind the class */
	__u32 labels;	   /* without the root */
	__u16 type;
	__u16 reserved;
	__u64 sum;		       /* of its 32-bit words, for the UDP checksum (read_name) */
	__u64 name[NC_NAME_WORDS + 1]; /* lower case, zero-padded; reads of a suffix may pass the end */
	__u64 suffix[NC_NAME_WORDS];   /* the ancestor last looked up, by answers_below (lib/encloser.h) */
	__u8 label[NC_LABEL_MASK + 1]; /* offset in the name of each label, then of the root */
};

/* The OPT record, by parse_edns (lib/edns.h, lib/cookie.h). */
struct query_edns {
	__u8 has_opt;
	__u8 dnssec_ok;
	__u8 has_subnet;
	__u8 subnet_source; /* prefix length */
	__u8 has_nsid;	    /* requested, and enabled: the reply carries it */
	__u8 has_cookie;    /* sent, and enabled: the reply carries one */
	__u8 cookie_valid;
	__u8 bad_cookie; /* the reply is BADCOOKIE */
	__u16 subnet_at; /* offset of the option in the message, 0: none */
	__u16 cookie_at; /* the same */
	__u32 reserved;
	struct nc_address subnet;
	__u64 cookie[3]; /* for the reply: client cookie, then both halves of the server cookie, in wire order */
};

/* The nodes of one family chosen for an HTTPS or SVCB record. */
struct query_hint {
	__u16 slot[NC_MAX_ANSWERS];
	__u32 count;
	__u32 ttl;
};

/* The client's location and the nodes chosen for it, by lookup and selection (lib/lookup.h, lib/recipe.h). */
struct query_decision {
	__u32 slot;   /* the generation in use, for the second program */
	__u32 recipe; /* cell of the recipe, for the second program */
	__u32 place;
	__u32 depth;	   /* of the location table's leaf */
	__u32 scope;	   /* ECS scope of the reply */
	__u32 additionals; /* address records that accompany an SRV set */
	struct nc_client client;
	struct nc_selection chosen;
	struct query_hint hint[2]; /* by family: IPv4, IPv6 */
};

/* The OPT record under construction (lib/options.h): a word that is not full, where it goes, how many bytes it has. */
struct query_opt {
	__u64 part;
	__u32 at;
	__u32 bytes;
};

/* The reply: its header by the step that composes it, the rest as noted. */
struct query_reply {
	__u8 flags; /* third byte of the DNS header, without RD */
	__u8 code;  /* lower 4 bits of the response code */
	__be16 answers;
	__be16 authorities;
	__be16 additionals;  /* without OPT */
	__u8 extended_code;  /* upper 8 bits of the response code, for OPT */
	__u8 has_error;	     /* OPT carries an extended DNS error */
	__be16 error;	     /* its INFO-CODE */
	__u8 response_class; /* enum nc_response_class */
	__u8 origin;	     /* enum query_origin */
	__u8 verdict;	     /* enum nc_counter, once it is sent; settle (lib/limit.h) may change it */
	__u8 reserved;
	__u16 least;	   /* bytes of the first RRset, as nc_answer.least; unused for NC_FROM_NODES */
	__u16 node;	   /* slot of the node that the first record leads to; NC_MAX_NODES: none */
	__u32 tail_length; /* in memory: in a register the verifier would track how each value came about */
	struct query_opt opt;
	/* What follows the question: records, then OPT. Read again by words, so written by words. */
	__u8 tail[NC_TAIL_MASK + 1 + NC_SLACK] __attribute__((aligned(8)));
};

struct query {
	__u32 overlay_buffer; /* which half of each overlay word counts, for the whole packet; by the entry function */
	struct query_frame frame;
	struct query_question question;
	struct query_edns edns;
	struct query_decision decision;
	struct query_reply reply;
	__u32 reserved; /* puts the name, behind the 12-byte header, on an 8-byte boundary */
	__u8 message[NC_MESSAGE_MASK + 1 + NC_SLACK];
};
_Static_assert((__builtin_offsetof(struct query, message) + NC_HEADER_BYTES) % 8 == 0, "the name is aligned");
_Static_assert(__builtin_offsetof(struct query_question, name) % 8 == 0, "names are compared by words");

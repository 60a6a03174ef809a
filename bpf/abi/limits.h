/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Limits of the fast path. What exceeds them is refused at load, or left to user space (docs/map-abi.md). The planner
 * checks every limit, so the program can rely on them.
 */
#pragma once

#define NC_LAYOUT_VERSION      12   /* version of this folder; pinned maps of another version are not adopted */
#define NC_MAX_NODES	       4096 /* node slots; a power of two, so that an index can be masked */
#define NC_MAX_STEERING_TABLES 256  /* distinct (node set, policy, view, family) in a generation */
#define NC_MAX_SERVICES	       16   /* addresses and ports that the daemon listens on */
#define NC_FIRST_CLIENT_PORT   1024 /* user space handles queries from lower ports (RFC 6335 section 6) */
#define NC_MAX_VIEW_PREFIXES   16   /* client networks of all views */
#define NC_NAME_BYTES	       255  /* longest wire name, root label included (RFC 1035 section 2.3.4) */
#define NC_NAME_WORDS	       32   /* the same in 8-byte words */
#define NC_MESSAGE_BYTES       512  /* longest query that the program reads */
#define NC_LOCAL_CANDIDATES    8    /* ranked candidates in a list */
#define NC_BACKSTOP_CANDIDATES 16   /* candidates tried when no local one is usable */
#define NC_MAX_ANSWERS	       8    /* addresses in one answer */
#define NC_CELL_BYTES	       64   /* tables are read by the cache line */
#define NC_GENERATIONS	       2
#define NC_OVERLAY_WORDS       16384  /* changed names and answers in a generation, plus 1; a power of two */
#define NC_OVERLAY_ENTRIES     16384  /* cells for replaced name entries */
#define NC_OVERLAY_ANSWERS     32768  /* cells for replaced directories and answers */
#define NC_RECIPE_CELLS	       262144 /* cells of `answers` for recipes and their parts: 16 MiB */

#define NC_UDP_PAYLOAD	     1232 /* payload size in our OPT (RFC 9715) */
#define NC_UDP_PAYLOAD_PLAIN 512  /* without OPT (RFC 1035 section 4.2.1) */

/* ECS scope: the depth of a leaf in the location table. The maximum is the smallest block that caches may separate. */
#define NC_SCOPE_MIN_V4 16
#define NC_SCOPE_MAX_V4 24
#define NC_SCOPE_MIN_V6 32
#define NC_SCOPE_MAX_V6 56

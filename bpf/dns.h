/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers of the DNS protocol, in host byte order unless noted. */
#pragma once

#define NC_HEADER_BYTES 12 /* of a message (RFC 1035 section 4.1.1) */

/* Flags of a reply, in the third byte of the header. */
#define NC_FLAG_QR 0x80
#define NC_FLAG_AA 0x04
#define NC_FLAG_TC 0x02

#define NC_RCODE_BADCOOKIE 23 /* RFC 7873 section 8; the header has the lower 4 bits, OPT the others */

#define NC_TYPE_A	   1
#define NC_TYPE_AAAA	   28
#define NC_TYPE_OPT	   41
#define NC_TYPE_FIRST_META 128 /* query and meta types (RFC 6895 section 3.1) */
#define NC_TYPE_LAST_META  255
#define NC_IN		   1 /* class */

#define NC_RECORD_BYTES	 12	/* before RDATA: owner pointer, type, class, TTL, length */
#define NC_OWNER_POINTER 0xc00c /* compression pointer to the question's name */
#define NC_V4_BYTES	 4
#define NC_V6_BYTES	 16

/* Options of OPT. */
#define NC_OPTION_NSID	 3  /* RFC 5001 */
#define NC_OPTION_SUBNET 8  /* RFC 7871 */
#define NC_OPTION_COOKIE 10 /* RFC 7873 */
#define NC_OPTION_ERROR	 15 /* RFC 8914 */

/* Parameters of HTTPS and SVCB records (RFC 9460 section 14.3.2). */
#define NC_PARAMETER_IPV4HINT 4
#define NC_PARAMETER_IPV6HINT 6

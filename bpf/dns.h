/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers of the DNS protocol. */
#pragma once

#define NC_HEADER_BYTES 12 /* of a DNS message */

/* Flags of the reply, in the third byte of the header. */
#define NC_FLAG_QR 0x80
#define NC_FLAG_AA 0x04
#define NC_FLAG_TC 0x02

#define NC_RCODE_BADCOOKIE 23 /* RFC 7873 section 8; the header has its lower 4 bits, OPT the others */

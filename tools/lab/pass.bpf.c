/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A veth drops the frames its peer transmits from XDP unless it runs a program itself: this one lets all pass. */
__attribute__((section("xdp"), used)) int lab_pass(void *frame)
{
	return 2; /* XDP_PASS */
}

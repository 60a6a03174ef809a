/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#pragma once

/* In a run of `hashes`; in a step of its loop, which costs as much as half of one. */
#define HASHES	      100000
#define HASHES_A_STEP 10

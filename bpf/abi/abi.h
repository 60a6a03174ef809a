/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The contract between the XDP program and the control plane: layouts, limits, counters, and the arithmetic that both
 * run. The program includes it; Swift imports it as CFastPathABI.
 */
#pragma once

#ifndef __bpf__
#include "host.h"
#endif
#include "answers.h"
#include "counters.h"
#include "generation.h"
#include "hash.h"
#include "limits.h"
#include "location.h"
#include "names.h"
#include "network.h"
#include "node.h"
#include "overlay.h"
#include "protocol.h"
#include "rate.h"
#include "recent.h"
#include "recipes.h"
#include "rtt.h"
#include "select.h"
#include "siphash.h"
#include "station.h"
#include "types.h"

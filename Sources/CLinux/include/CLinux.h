// SPDX-License-Identifier: Apache-2.0
// System calls and C features that Swift cannot import. Each header says why its entries are here.
//
// No system header is included: a second textual copy of <sys/socket.h> would make its names ambiguous in Swift files
// that also import Glibc. Functions give a count or zero, and -errno on failure.
#pragma once

#include "UDPSockets.h"
#include "linux_addresses.h"
#include "linux_atomic.h"
#include "linux_interface.h"
#include "linux_log.h"
#include "linux_neighbours.h"
#include "linux_poll.h"
#include "linux_process.h"
#include "linux_system.h"
#include "linux_thread.h"

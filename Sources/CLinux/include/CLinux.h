// SPDX-License-Identifier: Apache-2.0
// System calls and C features that Swift cannot import; each entry says why it is here.
#pragma once
#include "UDPSockets.h"

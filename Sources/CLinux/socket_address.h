// SPDX-License-Identifier: Apache-2.0
// Socket addresses, for the files that wrap sockets.
#pragma once

#include "UDPSockets.h"

#include <netinet/in.h>
#include <sys/socket.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

void nl_from_socket_address(const union address *from, struct nl_endpoint *to);

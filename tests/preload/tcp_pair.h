/* Two ends of a TCP connection in one process, for what forks and uses them. */
#ifndef MPSAN_TESTS_PRELOAD_TCP_PAIR_H
#define MPSAN_TESTS_PRELOAD_TCP_PAIR_H

#include "lib.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* A connection to this very host, and the end that accepted it. */
static inline void tcp_pair(int *connection, int *server)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	must(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 1) == 0);
	must(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
	*connection = socket(AF_INET, SOCK_STREAM, 0);
	must(connect(*connection, (struct sockaddr *)&at, sizeof(at)) == 0);
	*server = accept(listener, NULL, NULL);
	must(*server >= 0);
}

#endif

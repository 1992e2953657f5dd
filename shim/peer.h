/*
 * The addresses of this machine at which descriptors of shared memory are handed out: torch keeps a copy
 * of each that it has put into a queue until its receiver connects, by multiprocessing's
 * resource_sharer, and asks for it. Neighbours: segment.h, descriptor.h (READY, PEER, LISTENER);
 * hooks/socket.c and hooks/stream.c call.
 */
#ifndef MPSAN_PEER_H
#define MPSAN_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* A socket was bound, or connected (error 0: it succeeded). */
void peer_bound(int fd, const struct sockaddr *address, socklen_t length);
void peer_connected(int fd, const struct sockaddr *address, socklen_t length, int error,
		    uint64_t caller);

/*
 * A read, recv or recvmsg on a descriptor that is marked as DESCRIPTOR_PEER has come back: its end, or
 * its break, before a descriptor came is stated. To be called for such descriptors only.
 */
void peer_result(int fd, ssize_t result, int error, uint64_t caller);

/* Messages that carry descriptors: sent, and received (`lost`: some found no room). */
void peer_sent(int fd, const struct msghdr *message);
void peer_received(int fd, const struct msghdr *message, uint64_t caller);

/* The process ends: what waits to be fetched is stated. */
void peer_exit(void);
void peer_forked(void);

#endif

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

/* A socket was bound; connected, or not (`error`). */
void peer_bound(int fd, const struct sockaddr *address, socklen_t length);
void peer_connected(int fd, const struct sockaddr *address, socklen_t length, int error,
		    uint64_t caller);

/*
 * A read, recv or recvmsg on a descriptor that is marked as DESCRIPTOR_PEER has come back: its end, or
 * its break, before a descriptor came is stated. To be called for such descriptors only.
 */
void peer_result(int fd, ssize_t result, int error, uint64_t caller);

/* A message was sent, or received: the descriptors that it carries. */
void peer_sent(int fd, const struct msghdr *message);
void peer_received(int fd, const struct msghdr *message, uint64_t caller);

/*
 * A descriptor of a segment was copied in the way in which Python does: it may wait to be fetched. And one
 * was mapped: the copy that was made of it right before is the mapping's own.
 */
void peer_ready(int from, int to);
void peer_mapped(int fd);

/* A descriptor that is marked as DESCRIPTOR_PEER was copied, or is about to be closed. */
void peer_copied(int from, int to);
void peer_closed(int fd);

/* The process ends: what waits to be fetched is stated. A forked child begins. */
void peer_exit(void);
void peer_forked(void);

#endif

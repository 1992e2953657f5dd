/*
 * Whether the processes of a session are still there, asked often and for many: one descriptor is
 * kept for each, and one system call asks for all. Neighbours: session.h looks at one by /proc,
 * reader.h asks.
 */
#ifndef MPSAN_ALIVE_H
#define MPSAN_ALIVE_H

#include <poll.h>

#include "../base/util.h"
#include "session.h"

struct alive {
	const struct session *session;
	ARRAY(struct pollfd) fds; /* pidfds */
	ARRAY(uint32_t) slots; /* of each of them */
	ARRAY(uint32_t) others; /* processes that found no descriptor */
	uint32_t fds_max;
};

void alive_init(struct alive *alive, const struct session *session);
void alive_finish(struct alive *alive);

/* A process to be followed; `gone` is called at the next look should it not be there. */
void alive_add(struct alive *alive, uint32_t slot);

/* Calls `gone` for each that has ended since the last look. */
void alive_look(struct alive *alive, void (*gone)(uint32_t slot, void *context), void *context);

#endif

/*
 * Whether the processes of a session are still there, asked often and for many: one descriptor is
 * kept for each, and one system call asks for all. Neighbours: session.h looks at one by /proc,
 * reader.h asks.
 */
#ifndef MPSAN_PIDFD_POLL_H
#define MPSAN_PIDFD_POLL_H

#include <poll.h>

#include "../base/util.h"
#include "session.h"

struct pidfd_poll {
	const struct session *session;
	ARRAY(struct pollfd) fds; /* pidfds */
	ARRAY(uint32_t) slots; /* of each of them */
	ARRAY(uint32_t) others; /* processes that found no descriptor */
	uint32_t fds_max;
};

void pidfd_poll_init(struct pidfd_poll *pidfds, const struct session *session);
void pidfd_poll_finish(struct pidfd_poll *pidfds);

/* A process to be followed; `gone` is called at the next look should it not be there. */
void pidfd_poll_add(struct pidfd_poll *pidfds, uint32_t slot);

/* Calls `gone` for each that has ended since the last look. */
void pidfd_poll_look(struct pidfd_poll *pidfds, void (*gone)(uint32_t slot, void *context),
		     void *context);

#endif

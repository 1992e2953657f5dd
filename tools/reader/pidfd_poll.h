/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes of a session are alive, asked often and for many: one pidfd per process, and one
 * poll() for all. Neighbours: session.h checks a single process through /proc, reader.h calls.
 */
#pragma once

#include <poll.h>

#include "../base/util.h"
#include "session.h"

struct pidfd_poll {
	const struct session *session;
	ARRAY(struct pollfd) fds; /* pidfds */
	ARRAY(uint32_t) slots; /* of each pidfd */
	ARRAY(uint32_t) others; /* processes without a pidfd */
	uint32_t fds_max;
};

void pidfd_poll_init(struct pidfd_poll *pidfds, const struct session *session);
void pidfd_poll_finish(struct pidfd_poll *pidfds);

/* Adds a process; if it has ended already, `gone` is called by the next pidfd_poll_look. */
void pidfd_poll_add(struct pidfd_poll *pidfds, uint32_t slot);

/* Calls `gone` for each process that has ended since the last call. */
void pidfd_poll_look(struct pidfd_poll *pidfds, void (*gone)(uint32_t slot, void *context),
		     void *context);

/* SPDX-License-Identifier: Apache-2.0 */
/* Watches processes through pidfds. */
#include "pidfd_poll.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../proc/procfs.h"

void pidfd_poll_init(struct pidfd_poll *pidfds, const struct session *session)
{
	struct rlimit limit = {.rlim_cur = 256};

	*pidfds = (struct pidfd_poll){.session = session};
	getrlimit(RLIMIT_NOFILE, &limit);
	pidfds->fds_max = limit.rlim_cur < 256	 ? 0 :
			  limit.rlim_cur < 16384 ? (uint32_t)limit.rlim_cur / 3 :
						   5000;
}

void pidfd_poll_finish(struct pidfd_poll *pidfds)
{
	for (uint32_t i = 0; i < pidfds->fds.count; i++)
		close(pidfds->fds.item[i].fd);
	free(pidfds->fds.item);
	free(pidfds->slots.item);
	free(pidfds->others.item);
	*pidfds = (struct pidfd_poll){0};
}

void pidfd_poll_add(struct pidfd_poll *pidfds, uint32_t slot)
{
	int fd = -1;

#ifdef SYS_pidfd_open
	if (pidfds->fds.count < pidfds->fds_max && !procfs_source())
		fd = (int)filtered_call(SYS_pidfd_open, session_pid(pidfds->session, slot), 0, 0, 0,
					0);
#endif
	/* The pidfd may be of a later process with the same pid: check again. */
	if (fd < 0 || session_liveness(pidfds->session, slot) != ALIVE) {
		if (fd >= 0)
			close(fd);
		*ARRAY_ADD(&pidfds->others) = slot;
		return;
	}
	*ARRAY_ADD(&pidfds->fds) = (struct pollfd){.fd = fd, .events = POLLIN};
	*ARRAY_ADD(&pidfds->slots) = slot;
}

static void look_add_descriptor(struct pidfd_poll *pidfds,
				void (*gone)(uint32_t slot, void *context), void *context)
{
	uint32_t kept = 0;

	if (poll(pidfds->fds.item, pidfds->fds.count, 0) <= 0)
		return;
	for (uint32_t i = 0; i < pidfds->fds.count; i++) {
		if (pidfds->fds.item[i].revents) {
			close(pidfds->fds.item[i].fd);
			gone(pidfds->slots.item[i], context);
			continue;
		}
		pidfds->fds.item[kept] = pidfds->fds.item[i];
		pidfds->slots.item[kept++] = pidfds->slots.item[i];
	}
	pidfds->fds.count = pidfds->slots.count = kept;
}

void pidfd_poll_look(struct pidfd_poll *pidfds, void (*gone)(uint32_t slot, void *context),
		     void *context)
{
	uint32_t kept = 0;

	look_add_descriptor(pidfds, gone, context);
	for (uint32_t i = 0; i < pidfds->others.count; i++) {
		uint32_t slot = pidfds->others.item[i];

		if (session_liveness(pidfds->session, slot) == GONE)
			gone(slot, context);
		else
			pidfds->others.item[kept++] = slot;
	}
	pidfds->others.count = kept;
}

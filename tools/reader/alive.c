/* See alive.h. */
#include "alive.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"

void alive_init(struct alive *alive, const struct session *session)
{
	struct rlimit limit = {.rlim_cur = 256};

	*alive = (struct alive){.session = session};
	getrlimit(RLIMIT_NOFILE, &limit);
	alive->fds_max = limit.rlim_cur < 256	? 0 :
			 limit.rlim_cur < 16384 ? (uint32_t)limit.rlim_cur / 3 :
						  5000;
}

void alive_finish(struct alive *alive)
{
	for (uint32_t i = 0; i < alive->fds.count; i++)
		close(alive->fds.item[i].fd);
	free(alive->fds.item);
	free(alive->slots.item);
	free(alive->others.item);
	*alive = (struct alive){0};
}

void alive_add(struct alive *alive, uint32_t slot)
{
	int fd = -1;

#ifdef SYS_pidfd_open
	if (alive->fds.count < alive->fds_max)
		fd = (int)filtered_call(SYS_pidfd_open, alive->session->table[slot].pid, 0, 0, 0,
					0);
#endif
	/* The descriptor may be that of a later process with the same pid: looked at once more. */
	if (fd < 0 || session_liveness(alive->session, slot) != ALIVE) {
		if (fd >= 0)
			close(fd);
		*ARRAY_ADD(&alive->others) = slot;
		return;
	}
	*ARRAY_ADD(&alive->fds) = (struct pollfd){.fd = fd, .events = POLLIN};
	*ARRAY_ADD(&alive->slots) = slot;
}

static void look_by_descriptor(struct alive *alive, void (*gone)(uint32_t slot, void *context),
			       void *context)
{
	uint32_t kept = 0;

	if (poll(alive->fds.item, alive->fds.count, 0) <= 0)
		return;
	for (uint32_t i = 0; i < alive->fds.count; i++) {
		if (alive->fds.item[i].revents) {
			close(alive->fds.item[i].fd);
			gone(alive->slots.item[i], context);
			continue;
		}
		alive->fds.item[kept] = alive->fds.item[i];
		alive->slots.item[kept++] = alive->slots.item[i];
	}
	alive->fds.count = alive->slots.count = kept;
}

void alive_look(struct alive *alive, void (*gone)(uint32_t slot, void *context), void *context)
{
	uint32_t kept = 0;

	look_by_descriptor(alive, gone, context);
	for (uint32_t i = 0; i < alive->others.count; i++) {
		uint32_t slot = alive->others.item[i];

		if (session_liveness(alive->session, slot) == GONE)
			gone(slot, context);
		else
			alive->others.item[kept++] = slot;
	}
	alive->others.count = kept;
}

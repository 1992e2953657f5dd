/* SPDX-License-Identifier: Apache-2.0 */
/* Scans all processes for ends of pipes. */
#include "pipes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "proc.h"

bool pipe_same(const struct pipe_id *one, const struct pipe_id *other)
{
	return one->kind && one->kind == other->kind && one->device == other->device &&
	       one->inode == other->inode;
}

static struct pipe_id id_of(const struct descriptor *descriptor)
{
	bool anonymous = !strncmp(descriptor->target, "pipe:", 5);
	struct statx file;

	if ((!anonymous && *descriptor->target != '/') || !descriptor_stat(descriptor, &file) ||
	    !S_ISFIFO(file.stx_mode))
		return (struct pipe_id){PIPE_NOT, 0, 0};
	return (struct pipe_id){anonymous ? PIPE_ANONYMOUS : PIPE_NAMED,
				makedev(file.stx_dev_major, file.stx_dev_minor), file.stx_ino};
}

struct pipe_id pipe_of(uint32_t pid, int fd)
{
	struct descriptor descriptor;

	return descriptor_of(pid, fd, &descriptor) ? id_of(&descriptor) :
						     (struct pipe_id){PIPE_NOT, 0, 0};
}

/* The access mode is in the octal "flags:" line of fdinfo. */
static unsigned ends_of(const struct descriptor *descriptor)
{
	int64_t flags = descriptor_info(descriptor, "flags", 8);

	if (flags < 0)
		return 0;
	return (flags & O_ACCMODE) == O_RDONLY ? PIPE_END_READ :
	       (flags & O_ACCMODE) == O_WRONLY ? PIPE_END_WRITE :
						 PIPE_END_READ | PIPE_END_WRITE;
}

/* A walk over one process. */
struct walk {
	struct pipes *pipes;
	uint32_t first; /* its first holder */
};

static void pipes_add(struct walk *walk, const struct pipe_holder *holder)
{
	struct pipes *pipes = walk->pipes;

	for (uint32_t i = walk->first; i < pipes->holders.count; i++)
		if (pipe_same(&pipes->holders.item[i].id, &holder->id)) {
			pipes->holders.item[i].ends |= holder->ends;
			return;
		}
	*ARRAY_ADD(&pipes->holders) = *holder;
}

static void see_descriptor(const struct descriptor *descriptor, void *context)
{
	struct pipe_holder holder = {.pid = descriptor->pid, .id = id_of(descriptor)};

	if (holder.id.kind) {
		holder.ends = ends_of(descriptor);
	} else if (descriptor_carries(descriptor)) {
		holder.id = (struct pipe_id){PIPE_ANY, 0, flight_socket(descriptor)};
		holder.ends = PIPE_END_READ | PIPE_END_WRITE;
	}
	if (holder.ends)
		pipes_add(context, &holder);
}

static void scan_process(uint32_t pid, void *context)
{
	struct pipes *pipes = context;
	struct walk walk = {pipes, pipes->holders.count};

	if (!descriptors_each(pid, see_descriptor, &walk))
		*ARRAY_ADD(&pipes->unread) = pid;
}

/* Drops sockets of messages between strangers. */
static void sift(struct pipes *pipes, const struct flight_job *job)
{
	for (uint32_t i = 0; i < pipes->holders.count; i++) {
		struct pipe_holder *holder = &pipes->holders.item[i];

		if (holder->id.kind == PIPE_ANY && holder->id.inode &&
		    !job->is_ours(holder->pid, job->context) &&
		    !flight_may_be_ours(holder->id.inode, job))
			holder->ends = 0;
		pipes->in_flight |= holder->id.kind == PIPE_ANY && holder->ends;
	}
}

void pipes_scan(struct pipes *pipes, const struct flight_job *job)
{
	pipes->holders.count = pipes->unread.count = 0;
	pipes->in_flight = false;
	proc_each(scan_process, pipes);
	sift(pipes, job);
}

void pipes_free(struct pipes *pipes)
{
	free(pipes->holders.item);
	free(pipes->unread.item);
	memset(pipes, 0, sizeof(*pipes));
}

const struct pipe_holder *pipes_next(const struct pipes *pipes, const struct pipe_id *id,
				     unsigned ends, uint32_t *at)
{
	while (*at < pipes->holders.count) {
		const struct pipe_holder *holder = &pipes->holders.item[(*at)++];

		if (holder->ends & ends &&
		    (holder->id.kind == PIPE_ANY || pipe_same(&holder->id, id)))
			return holder;
	}
	return NULL;
}

bool pipes_are_blind(const struct pipes *pipes, bool (*is_ours)(uint32_t pid, void *context),
		     void *context)
{
	for (uint32_t i = 0; i < pipes->unread.count; i++)
		if (proc_descends(pipes->unread.item[i], is_ours, context))
			return true;
	return false;
}

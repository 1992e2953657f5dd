/* SPDX-License-Identifier: Apache-2.0 */
/* Scans all processes for ends of pipes, for sockets, eventfds and locked files. */
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

static uint64_t descriptor_number(const struct descriptor *descriptor)
{
	return strtoull(strrchr(descriptor->path, '/') + 1, NULL, 10);
}

static struct pipe_id id_of(const struct descriptor *descriptor)
{
	bool anonymous = !strncmp(descriptor->target, "pipe:", 5);
	uint64_t socket = descriptor_socket(descriptor);
	struct statx file;

	if (socket)
		return (struct pipe_id){PIPE_SOCKET, 0, socket};
	if (!strcmp(descriptor->target, "anon_inode:[eventfd]"))
		return (struct pipe_id){PIPE_EVENT, 0,
					(uint64_t)descriptor_info(descriptor, "eventfd-id", 10)};
	if (!strcmp(descriptor->target, "anon_inode:[io_uring]"))
		return (struct pipe_id){descriptor_ring_rests(descriptor) ? PIPE_NOT : PIPE_RING, 0,
					0};
	if (!strcmp(descriptor->target, "anon_inode:[eventpoll]"))
		return (struct pipe_id){PIPE_POLL, 0, descriptor_number(descriptor)};
	if ((!anonymous && *descriptor->target != '/') || !descriptor_stat(descriptor, &file) ||
	    !S_ISFIFO(file.stx_mode))
		return (struct pipe_id){PIPE_NOT, 0, 0};
	anonymous |= !file.stx_nlink; /* without a name, nobody can open it */
	return (struct pipe_id){anonymous ? PIPE_ANONYMOUS : PIPE_NAMED,
				makedev(file.stx_dev_major, file.stx_dev_minor), file.stx_ino};
}

static struct pipe_id file_of(const struct descriptor *descriptor)
{
	struct statx file;

	if (*descriptor->target != '/' || !descriptor_stat(descriptor, &file) ||
	    !S_ISREG(file.stx_mode))
		return (struct pipe_id){PIPE_NOT, 0, 0};
	return (struct pipe_id){PIPE_LOCKED, makedev(file.stx_dev_major, file.stx_dev_minor),
				file.stx_ino};
}

struct pipe_id pipe_file(uint32_t pid, int fd)
{
	struct descriptor descriptor;

	return descriptor_of(pid, fd, &descriptor) ? file_of(&descriptor) :
						     (struct pipe_id){PIPE_NOT, 0, 0};
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

unsigned pipe_other_ends(uint32_t pid, int fd)
{
	struct descriptor descriptor;
	unsigned ends = descriptor_of(pid, fd, &descriptor) ? ends_of(&descriptor) : 0;

	return ends == PIPE_END_READ  ? PIPE_END_WRITE :
	       ends == PIPE_END_WRITE ? PIPE_END_READ :
					PIPE_END_READ | PIPE_END_WRITE;
}

struct fds {
	const struct pipe_id *id;
	unsigned ends;
	char *list;
};

static void see_end(const struct descriptor *descriptor, void *context)
{
	struct fds *fds = context;
	struct pipe_id id = id_of(descriptor);

	if (pipe_same(&id, fds->id) && (id.kind == PIPE_SOCKET || ends_of(descriptor) & fds->ends))
		fds->list = text_join(
			fds->list, ", ",
			text_format("%llu", (unsigned long long)descriptor_number(descriptor)));
}

char *pipe_fds(uint32_t pid, const struct pipe_id *id, unsigned ends)
{
	struct fds fds = {id, ends, text_copy("")};
	char *text;

	descriptors_each(pid, see_end, &fds);
	text = *fds.list ? text_format("fd %s", fds.list) : NULL;
	free(fds.list);
	return text;
}

static void pipes_add(struct pipes *pipes, const struct descriptor *descriptor, struct pipe_id id,
		      unsigned ends)
{
	if (ends)
		*ARRAY_ADD(&pipes->holders) = (struct pipe_holder){id, descriptor->pid, ends};
}

static void see_descriptor(const struct descriptor *descriptor, void *context)
{
	struct pipes *pipes = context;
	struct pipe_id id = id_of(descriptor);

	if (!id.kind && pipes->locks && descriptor_has_lock(descriptor))
		id = file_of(descriptor);
	if (id.kind == PIPE_ANONYMOUS || id.kind == PIPE_NAMED)
		pipes_add(pipes, descriptor, id, ends_of(descriptor));
	else if (id.kind)
		pipes_add(pipes, descriptor, id, PIPE_END_READ | PIPE_END_WRITE);
	if (descriptor_carries(descriptor))
		pipes_add(pipes, descriptor,
			  (struct pipe_id){PIPE_ANY, 0, descriptor_socket(descriptor)},
			  PIPE_END_READ | PIPE_END_WRITE);
}

static void scan_process(uint32_t pid, void *context)
{
	struct pipes *pipes = context;
	uint32_t before = pipes->holders.count;
	bool has_event = false;

	if (!descriptors_each(pid, see_descriptor, pipes))
		*ARRAY_ADD(&pipes->unread) = pid;
	for (uint32_t i = before; i < pipes->holders.count; i++)
		has_event |= pipes->holders.item[i].id.kind == PIPE_EVENT;
	if (has_event && proc_has_aio(pid) > 0)
		*ARRAY_ADD(&pipes->holders) =
			(struct pipe_holder){{PIPE_AIO, 0, 0}, pid, PIPE_END_READ | PIPE_END_WRITE};
}

/* Whether the job may have sent, or will receive, the messages in this socket. */
static bool is_stranger(const struct pipe_holder *holder, const struct flight_job *job)
{
	return holder->id.kind == PIPE_ANY && holder->id.inode &&
	       !job->is_ours(holder->pid, job->context) &&
	       !flight_may_be_ours(holder->id.inode, job);
}

static int compare_ids(const struct pipe_id *one, const struct pipe_id *other)
{
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	if (one->device != other->device)
		return one->device < other->device ? -1 : 1;
	return one->inode < other->inode ? -1 : one->inode > other->inode;
}

static int compare_holders(const void *one, const void *other)
{
	const struct pipe_holder *a = one, *b = other;
	int ids = compare_ids(&a->id, &b->id);

	return ids ? ids : a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* One entry for each pipe and process, without those of messages between strangers. */
static void sift(struct pipes *pipes, const struct flight_job *job)
{
	struct pipe_holder *kept = pipes->holders.item;
	uint32_t count = 0;

	if (pipes->holders.count)
		qsort(kept, pipes->holders.count, sizeof(*kept), compare_holders);
	for (uint32_t i = 0; i < pipes->holders.count; i++) {
		const struct pipe_holder holder = kept[i];

		if (count && !compare_holders(&kept[count - 1], &holder)) {
			kept[count - 1].ends |= holder.ends;
		} else if (!is_stranger(&holder, job)) {
			kept[count++] = holder;
			pipes->in_flight += holder.id.kind == PIPE_ANY;
		}
	}
	pipes->holders.count = count;
}

void pipes_scan(struct pipes *pipes, const struct flight_job *job)
{
	pipes->holders.count = pipes->unread.count = 0;
	pipes->in_flight = 0;
	proc_each(scan_process, pipes);
	sift(pipes, job);
}

void pipes_free(struct pipes *pipes)
{
	free(pipes->holders.item);
	free(pipes->unread.item);
	memset(pipes, 0, sizeof(*pipes));
}

/* Index of the first holder of a pipe, or of the next one. */
static uint32_t first_of(const struct pipes *pipes, const struct pipe_id *id)
{
	uint32_t low = pipes->in_flight, high = pipes->holders.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_ids(&pipes->holders.item[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct pipe_holder *pipes_next(const struct pipes *pipes, const struct pipe_id *id,
				     unsigned ends, uint32_t *at)
{
	while (*at <= pipes->holders.count) {
		const struct pipe_holder *holder;

		if (*at == pipes->in_flight)
			*at = first_of(pipes, id);
		if (*at == pipes->holders.count)
			return NULL;
		holder = &pipes->holders.item[*at];
		if (*at >= pipes->in_flight && !pipe_same(&holder->id, id))
			return NULL;
		++*at;
		if (holder->ends & ends)
			return holder;
	}
	return NULL;
}

static bool pipes_has(const struct pipes *pipes, enum pipe_kind kind, uint32_t pid)
{
	const struct pipe_id id = {kind, 0, 0};
	const struct pipe_holder *holder;
	uint32_t at = 0;

	while ((holder = pipes_next(pipes, &id, PIPE_END_READ, &at)))
		if (holder->pid == pid && holder->id.kind == kind)
			return true;
	return false;
}

bool pipes_kernel_acts(const struct pipes *pipes, const struct pipe_id *id, uint32_t pid)
{
	return pipes_has(pipes, PIPE_RING, pid) ||
	       (id->kind == PIPE_EVENT && pipes_has(pipes, PIPE_AIO, pid));
}

bool pipes_are_blind(const struct pipes *pipes, bool (*is_ours)(uint32_t pid, void *context),
		     void *context)
{
	for (uint32_t i = 0; i < pipes->unread.count; i++)
		if (proc_descends(pipes->unread.item[i], is_ours, context))
			return true;
	return false;
}

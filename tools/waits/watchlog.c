/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the supervisor's log. */
#include "watchlog.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/plainfile.h"
#include "../proc/build_id.h"
#include "../proc/procmaps.h"
#include "../proc/stacks/stack_copy.h"

#define CAP (64u << 20)

static void write_head(struct watchlog *log, uint32_t slots)
{
	struct mpsan_log head = {
		.magic = MPSAN_LOG_MAGIC,
		.format = MPSAN_FORMAT,
		.slot = slots,
		.pid = (uint32_t)getpid(),
		.chunk = MPSAN_CHUNK,
		.cap = CAP,
		.birth_ns = clock_ns(CLOCK_MONOTONIC),
		.head = log->head,
	};

	log->failed = pwrite(log->fd, &head, sizeof(head), 0) != sizeof(head) ||
		      ftruncate(log->fd, MPSAN_LOG_START);
}

void watchlog_open(struct watchlog *log, const struct reader *reader)
{
	char name[24];

	*log = (struct watchlog){.reader = reader, .fd = -1, .head = MPSAN_LOG_START};
	snprintf(name, sizeof(name), "%u.log", reader->session.slots);
	log->maps = maps_create(reader);
	log->fd = openat(reader->session.dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (log->fd < 0)
		log->failed = true;
	else
		write_head(log, reader->session.slots);
}

static bool is_of_this_format(int fd)
{
	struct mpsan_log head;

	return pread(fd, &head, sizeof(head), 0) == sizeof(head) && head.magic == MPSAN_LOG_MAGIC &&
	       head.format == MPSAN_FORMAT;
}

/* Copies the records of a log that ends here. */
static void take_over(struct watchlog *log, int fd)
{
	AUTO_FREE char *part = memory_get(MPSAN_CHUNK);
	ssize_t bytes;

	while (log->head < CAP && (bytes = pread(fd, part, MPSAN_CHUNK, (off_t)log->head)) > 0 &&
	       pwrite(log->fd, part, (size_t)bytes, (off_t)log->head) == bytes)
		log->head += (uint64_t)bytes;
	log->head = (log->head + MPSAN_UNIT - 1) & ~(uint64_t)(MPSAN_UNIT - 1);
	log->failed |= pwrite(log->fd, &log->head, sizeof(log->head),
			      offsetof(struct mpsan_log, head)) != sizeof(log->head);
}

void watchlog_continue(struct watchlog *log, struct reader *reader)
{
	char name[24];
	int fd;

	*log = (struct watchlog){.reader = reader, .head = MPSAN_LOG_START};
	log->maps = maps_create(reader);
	log->fd = (int)filtered_call(SYS_memfd_create, (long)"mpsan", MFD_CLOEXEC, 0, 0, 0);
	if (log->fd < 0) {
		log->failed = true;
		return;
	}
	write_head(log, reader->session.slots);
	snprintf(name, sizeof(name), "%u.log", reader->session.slots);
	fd = plainfile_open(reader->session.dirfd, name, O_RDONLY | O_NOFOLLOW);
	if (fd >= 0 && is_of_this_format(fd))
		take_over(log, fd);
	if (fd >= 0)
		close(fd);
	reader->watch_fd = log->fd;
}

void watchlog_close(struct watchlog *log)
{
	if (log->fd >= 0)
		close(log->fd);
	maps_destroy(log->maps);
	*log = (struct watchlog){.fd = -1, .failed = log->failed};
}

bool watchlog_is_half_full(const struct watchlog *log)
{
	return log->head > CAP / 2;
}

/* A record must not straddle two chunks: it is moved to the next one. */
static uint64_t place(const struct watchlog *log, uint64_t whole)
{
	uint64_t rest = MPSAN_CHUNK - log->head % MPSAN_CHUNK;

	return rest < whole ? log->head + rest : log->head;
}

uint64_t watchlog_put(struct watchlog *log, enum mpsan_event_type type, uint32_t slot, uint32_t tid,
		      const void *payload, size_t bytes)
{
	return watchlog_put_at(log, type, slot, tid, clock_ns(CLOCK_MONOTONIC), payload, bytes);
}

uint64_t watchlog_put_at(struct watchlog *log, enum mpsan_event_type type, uint32_t slot,
			 uint32_t tid, uint64_t time_ns, const void *payload, size_t bytes)
{
	uint64_t whole = (sizeof(struct mpsan_record) + bytes + MPSAN_UNIT - 1) &
			 ~(uint64_t)(MPSAN_UNIT - 1),
		 at = place(log, whole);
	AUTO_FREE struct mpsan_record *record = NULL;

	if (log->fd < 0 || at + whole > CAP) {
		log->failed = true;
		return 0;
	}
	record = memory_get(whole);
	*record = (struct mpsan_record){.type = type,
					.units = (uint16_t)(whole / MPSAN_UNIT),
					.tid = tid,
					.slot = slot,
					.time_ns = time_ns};
	memcpy(record + 1, payload, bytes);
	record->commit = MPSAN_RECORD_MAGIC << 16 | mpsan_record_sum((const uint64_t *)(record + 1),
								     (whole - sizeof(*record)) / 8);
	if (pwrite(log->fd, record, whole, (off_t)at) != (ssize_t)whole)
		at = 0;
	log->failed |= !at;
	if (!at)
		return 0;
	log->head = at + whole;
	if (pwrite(log->fd, &log->head, sizeof(log->head), offsetof(struct mpsan_log, head)) < 0)
		return 0;
	return at;
}

uint64_t watchlog_text(struct watchlog *log, uint32_t slot, const char *text)
{
	return text ? watchlog_put(log, EV_text, slot, 0, text, strlen(text) + 1) : 0;
}

/* ---- modules ---- */

static void put_module(struct watchlog *log, uint32_t slot, uint32_t pid, const char *path,
		       const struct ev_module *found)
{
	const struct modules *known = maps_at(log->maps, slot, clock_ns(CLOCK_MONOTONIC));
	struct ev_module event = *found;
	char build_id[BUILD_ID_TEXT];

	if (!event.text_end || modules_find(known, event.base))
		return;
	event.path = watchlog_text(log, slot, path);
	if (build_id_at(pid, event.base, build_id))
		event.build_id = watchlog_text(log, slot, build_id);
	watchlog_put(log, EV_module, slot, 0, &event, sizeof(event));
}

/* The mappings of a file are contiguous; the first one is its lowest segment. */
static void note_modules(struct watchlog *log, uint32_t slot, uint32_t pid)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	const struct procmap *at = &walk.at;
	struct ev_module module = {0};
	char file[PATH_MAX] = "";

	while (procmaps_next(&walk)) {
		if (*at->path != '/')
			continue;
		if (strcmp(at->path, file) != 0) {
			put_module(log, slot, pid, file, &module);
			module = (struct ev_module){.base = at->start};
			strcpy(file, at->path);
		}
		module.end = at->end;
		if (at->rights[2] == 'x') {
			module.text_start = at->start;
			module.text_end = at->end;
		}
	}
	put_module(log, slot, pid, file, &module);
	procmaps_end(&walk);
}

/* ---- stacks ---- */

uint64_t watchlog_stack(struct watchlog *log, const struct snapshot_thread *thread)
{
	AUTO_FREE struct mpsan_stack *stack =
		stack_copy(thread->pid, thread->tid, &thread->call, true);
	uint64_t position = 0;

	if (!stack)
		return 0;
	if (!log->noted.look || log->noted.look != kept_look() || log->noted.pid != thread->pid)
		note_modules(log, thread->slot, thread->pid);
	log->noted.look = kept_look();
	log->noted.pid = thread->pid;
	position = watchlog_put(log, EV_stack, thread->slot, thread->own_tid, stack,
				sizeof(*stack) + stack->bytes);
	return position;
}

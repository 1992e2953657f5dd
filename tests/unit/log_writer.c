/* See log_writer.h. */
#include "log_writer.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PID_UNUSED 4194304u /* above the kernel's highest pid */

static void *make_file(const char *dir, const char *name, uint64_t bytes)
{
	char path[96];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, bytes))
		abort();
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? abort(), NULL : map;
}

static uint64_t now_ns(int clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

void writer_create(struct log_writer *writer)
{
	uint64_t bytes = MPSAN_PAGE + WRITER_SLOTS * sizeof(struct mpsan_process);

	memset(writer, 0, sizeof(*writer));
	strcpy(writer->dir, "/tmp/mpsan-test-XXXXXX");
	if (!mkdtemp(writer->dir))
		abort();
	writer->session = make_file(writer->dir, "session", bytes);
	writer->table = (struct mpsan_process *)((char *)writer->session + MPSAN_PAGE);
	writer->log_bytes = 2 * MPSAN_CHUNK;
	writer->session->format = MPSAN_FORMAT;
	writer->session->slots = WRITER_SLOTS;
	writer->session->start_ns = 1;
	writer->session->start_real_ns = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC) + 1;
	writer->session->magic = MPSAN_SESSION_MAGIC;
}

void writer_destroy(struct log_writer *writer)
{
	DIR *stream = opendir(writer->dir);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(writer->dir);
	munmap(writer->session, MPSAN_PAGE + WRITER_SLOTS * sizeof(struct mpsan_process));
	for (uint32_t slot = 0; slot < WRITER_SLOTS; slot++)
		if (writer->log[slot])
			munmap(writer->log[slot], writer->log_bytes);
}

struct mpsan_process *writer_process(struct log_writer *writer, uint32_t slot, uint32_t parent,
				     uint64_t birth_ns)
{
	struct mpsan_process *process = &writer->table[slot];

	process->pid = PID_UNUSED + slot;
	process->parent = parent == UINT32_MAX ? 0 : parent + 1;
	process->how = parent == UINT32_MAX ? MPSAN_HOW_ROOT : MPSAN_HOW_FORK;
	process->flags = MPSAN_PROCESS_ATTACHED;
	process->birth_ns = birth_ns;
	process->attach_ns = birth_ns;
	return process;
}

static struct mpsan_log *open_log(struct log_writer *writer, uint32_t slot)
{
	struct mpsan_log *head;
	char name[24];

	if (writer->log[slot])
		return (struct mpsan_log *)writer->log[slot];
	snprintf(name, sizeof(name), "%u.log", slot);
	writer->log[slot] = make_file(writer->dir, name, writer->log_bytes);
	head = (struct mpsan_log *)writer->log[slot];
	head->magic = MPSAN_LOG_MAGIC;
	head->format = MPSAN_FORMAT;
	head->slot = slot;
	head->chunk = MPSAN_CHUNK;
	head->cap = writer->log_bytes;
	head->head = MPSAN_LOG_START;
	writer->table[slot].flags |= MPSAN_PROCESS_LOG;
	return head;
}

static uint64_t whole_units(uint64_t bytes)
{
	return (bytes + sizeof(struct mpsan_record) + MPSAN_UNIT - 1) / MPSAN_UNIT * MPSAN_UNIT;
}

uint64_t writer_reserve(struct log_writer *writer, uint32_t slot, uint64_t bytes)
{
	struct mpsan_log *head = open_log(writer, slot);
	uint64_t pos = head->head, size = whole_units(bytes);

	if (pos / MPSAN_CHUNK != (pos + size - 1) / MPSAN_CHUNK)
		pos = (pos / MPSAN_CHUNK + 1) * MPSAN_CHUNK;
	assert(pos + size <= writer->log_bytes);
	head->head = pos + size;
	return pos;
}

void writer_commit(struct log_writer *writer, uint32_t slot, uint64_t pos,
		   enum mpsan_event_type type, uint64_t time_ns, uint32_t tid, const void *payload,
		   uint64_t bytes)
{
	struct mpsan_record *record = (struct mpsan_record *)(writer->log[slot] + pos);
	uint64_t size = whole_units(bytes);

	memcpy(record + 1, payload, bytes);
	record->type = type;
	record->units = size / MPSAN_UNIT;
	record->tid = tid;
	record->slot = slot;
	record->time_ns = time_ns;
	record->commit =
		(uint32_t)MPSAN_RECORD_MAGIC << 16 |
		mpsan_record_sum((const uint64_t *)(record + 1), (size - sizeof(*record)) / 8);
}

uint64_t writer_put(struct log_writer *writer, uint32_t slot, enum mpsan_event_type type,
		    uint64_t time_ns, uint32_t tid, const void *payload, uint64_t bytes)
{
	uint64_t pos = writer_reserve(writer, slot, bytes);

	writer_commit(writer, slot, pos, type, time_ns, tid, payload, bytes);
	return pos;
}

uint64_t writer_text(struct log_writer *writer, uint32_t slot, uint64_t time_ns, const char *text)
{
	return writer_put(writer, slot, EV_text, time_ns, 0, text, strlen(text) + 1);
}

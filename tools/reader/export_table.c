/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the export table and removes entries of dead processes. */
#include "export_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/mpsan_texts.h"
#include "../base/guard.h"
#include "../base/limit.h"
#include "../base/plainfile.h"

struct ranges *export_table_table(const struct exports *exports)
{
	return (struct ranges *)(void *)((char *)exports->head + MPSAN_PAGE);
}

static char *check_head(const struct exports *exports, const char *dir)
{
	const struct mpsan_exports *head = exports->head;

	if (head->magic != MPSAN_EXPORTS_MAGIC)
		return text_format("%s/exports: not an export table; record the session again",
				   dir);
	if (head->format != MPSAN_FORMAT || head->place_bytes != sizeof(struct mpsan_export_place))
		return text_format("%s/exports: unsupported format; use the mpsan that recorded it",
				   dir);
	if (head->places < RANGES_BUCKET || head->places & (head->places - 1) ||
	    head->places > exports->bytes ||
	    MPSAN_PAGE + ranges_bytes(head->places, head->place_bytes) > exports->bytes ||
	    export_table_table(exports)->places != head->places ||
	    export_table_table(exports)->place_bytes != head->place_bytes)
		return text_format("%s/exports: truncated (%zu bytes); record the session again",
				   dir, exports->bytes);
	return NULL;
}

char *export_table_open(struct exports *exports, const struct session *session)
{
	int fd = plainfile_open(session->dirfd, "exports",
				(session->writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW);
	void *map = MAP_FAILED;
	struct stat st;
	char *wrong;

	if (fd < 0)
		return errno == ENOENT ?
			       NULL :
			       text_format("%s/exports: %s", session->dir, plainfile_error(errno));
	if (!fstat(fd, &st) && st.st_size >= (off_t)(MPSAN_PAGE + RANGES_HEAD))
		map = mmap(NULL, st.st_size, PROT_READ | (session->writable ? PROT_WRITE : 0),
			   MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return text_format("%s/exports: truncated or not a regular file", session->dir);
	exports->head = map;
	exports->bytes = st.st_size;
	guard_add(map, exports->bytes, true);
	wrong = check_head(exports, session->dir);
	if (wrong)
		export_table_close(exports);
	return wrong;
}

void export_table_close(struct exports *exports)
{
	if (exports->head) {
		guard_remove(exports->head);
		munmap(exports->head, exports->bytes);
	}
	exports->head = NULL;
}

/* ---- entries of dead processes ---- */

static bool is_gone(const struct reader *reader, uint32_t slot)
{
	return slot < reader->session.slots &&
	       (reader->processes[slot].gone ||
		reader->session.table[slot].flags & MPSAN_PROCESS_REPLACED);
}

static uint32_t count_gone(const struct reader *reader)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < reader->used.count; i++)
		count += is_gone(reader, reader->used.item[i]);
	return count;
}

static void table_reclaim(const struct exports *exports, const struct reader *reader)
{
	struct ranges *table = export_table_table(exports);
	struct mpsan_export_place copy;
	uint64_t at = 0;
	void *place;

	while ((place = ranges_next(table, &at, &copy))) {
		uint32_t slot = copy.owner == MPSAN_EXPORT_NAMED ?
					copy.of_slot :
					copy.owner & ~MPSAN_EXPORT_IMPORT;

		if (is_gone(reader, slot) && ranges_drop(table, place, &copy))
			__atomic_fetch_add(&exports->head->reclaimed, 1, __ATOMIC_RELAXED);
	}
}

void export_table_look(struct exports *exports, const struct reader *reader)
{
	uint32_t gone;

	if (!exports->head)
		free(export_table_open(exports, &reader->session));
	if (!exports->head ||
	    !__atomic_load_n(&export_table_table(exports)->used, __ATOMIC_RELAXED))
		return;
	gone = count_gone(reader);
	if (gone != exports->gone)
		table_reclaim(exports, reader);
	exports->gone = gone;
}

/* ---- limits ---- */

void export_table_limits(const struct exports *exports, json_t *document)
{
	for (uint32_t i = 0; exports->head && i < MPSAN_REFUSED_COUNT; i++)
		if (exports->head->refused[i])
			report_limit(document, "allocations that were not exported, %s: %llu",
				     mpsan_export_refusal_meaning(i),
				     (unsigned long long)exports->head->refused[i]);
}

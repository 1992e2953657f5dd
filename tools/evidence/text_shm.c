/* SPDX-License-Identifier: Apache-2.0 */
/* Names of shared-memory segments, and of values in events about them. */
#include "text_shm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text_cuda.h"
#include "text_process.h"

#define NAMED_MAX 3u

static const char *event_name(const struct reader *reader, const struct fact_event *event)
{
	const char *text = NULL;

	if (event->type == EV_shm)
		text = reader_text(reader, event->slot, EVENT_AS(event, shm)->name);
	else if (event->type == EV_shm_left)
		text = reader_text(reader, event->slot, EVENT_AS(event, shm_left)->name);
	return text ? shm_name_bare(text) : NULL;
}

const char *segment_name(const struct reader *reader, uint32_t segment)
{
	const struct fact_event *made = shm_made(&reader->facts, segment);
	const char *name = made ? event_name(reader, made) : NULL;

	if (name || !segment)
		return name;
	EACH_SHM_EVENT(&reader->facts, segment - 1, at)
		if ((name = event_name(reader, &reader->facts.events[at - 1])))
			return name;
	return NULL;
}

char *segment_text(const struct reader *reader, uint32_t segment)
{
	const struct fact_event *made = shm_made(&reader->facts, segment);
	char *size = bytes_text(shm_bytes(&reader->facts, segment)), *text;
	const char *name = segment_name(reader, segment);

	if (shm_is_torch(&reader->facts, segment))
		text = text_format("the shared tensor %s (%s)", name ? name : "", size);
	else if (made && EVENT_AS(made, shm)->way == MPSAN_SHM_MEMFD)
		text = text_format("the memory \"%s\" without a path (%s)", name ? name : "", size);
	else if (name)
		text = text_format("the shared memory %s (%s)", name, size);
	else
		text = text_format("shared memory (%s)", size);
	free(size);
	return text;
}

static char *longer(char *text, const char *more)
{
	char *both = text ? text_format("%s, %s", text, more) : text_copy(more);

	free(text);
	return both;
}

char *segment_names(const struct reader *reader, uint32_t segment)
{
	uint64_t seen[NAMED_MAX];
	uint32_t count = 0;
	char *text = NULL;

	if (!segment)
		return NULL;
	EACH_SHM_EVENT(&reader->facts, segment - 1, at) {
		const char *name = event_name(reader, &reader->facts.events[at - 1]);
		uint64_t hash = name ? shm_name_hash(name) : 0;
		bool known = !name;

		for (uint32_t i = 0; i < count; i++)
			known = known || seen[i] == hash;
		if (known || count == NAMED_MAX)
			continue;
		seen[count++] = hash;
		text = longer(text, name);
	}
	return text;
}

static bool is_among(const uint32_t *slots, uint32_t count, uint32_t slot)
{
	for (uint32_t i = 0; i < count; i++)
		if (slots[i] == slot)
			return true;
	return false;
}

char *segment_mappers(const struct reader *reader, uint32_t segment, uint64_t time_ns)
{
	const struct facts *facts = &reader->facts;
	uint32_t slots[64], count = 0;
	char *text = NULL;

	if (!segment)
		return text_copy("no process");
	EACH_SHM_EVENT(facts, segment - 1, at) {
		const struct fact_event *event = &facts->events[at - 1];
		uint64_t end;

		if (event->type != EV_shm_map || event_time(event) > time_ns || count == 64 ||
		    is_among(slots, count, event->by))
			continue;
		end = shm_unmap_ns(facts, event);
		if (!end || end > time_ns)
			slots[count++] = event->by;
	}
	for (uint32_t i = 0; i < count && i < NAMED_MAX; i++) {
		AUTO_FREE char *who = process_text(reader, slots[i]);

		text = longer(text, who);
	}
	if (count > NAMED_MAX) {
		char *more = text_format("%s and %u more", text, count - NAMED_MAX);

		free(text);
		text = more;
	}
	return text ? text : text_copy("no process");
}

char *kept_text(uint64_t count, uint64_t bytes)
{
	AUTO_FREE char *size = bytes_text(bytes);

	return text_format("%llu tensor%s (%s)", (unsigned long long)count, count == 1 ? "" : "s",
			   size);
}

char *free_text(uint64_t bytes)
{
	AUTO_FREE char *size = NULL;

	if (bytes < 4096)
		return text_copy("nothing was");
	size = bytes_text(bytes);
	return text_format("%s were", size);
}

char *connect_text(uint64_t result)
{
	int error = (int)((int64_t)result < 0 ? -(int64_t)result : (int64_t)result);

	if (!error)
		return text_copy("the connection was closed before any data arrived");
	if (error == ECONNRESET)
		return text_copy("the connection was reset before any data arrived");
	if (error == ENOENT)
		return text_copy("its socket no longer exists (no such file)");
	if (error == ECONNREFUSED)
		return text_copy("nothing was listening (connection refused)");
	return text_format("nothing was listening (%s)", strerror(error));
}

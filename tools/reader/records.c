/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up single records of a session by their position in the logs. */
#include <string.h>

#include "../base/index_map.h"
#include "reader.h"

bool reader_record(const struct reader *reader, uint32_t slot, uint64_t pos,
		   enum mpsan_event_type type, struct record *out)
{
	return pos && slot <= reader->session.slots && reader->logs[slot] &&
	       logfile_at(reader->logs[slot], pos, out) && out->type == type;
}

const char *reader_text(const struct reader *reader, uint32_t slot, uint64_t pos)
{
	struct record record;

	if (!reader_record(reader, slot, pos, EV_text, &record) ||
	    !memchr(record.payload, '\0', record.bytes))
		return NULL;
	return record.payload;
}

uint64_t reader_real_ns(const struct reader *reader, uint64_t time_ns)
{
	return time_ns ? time_ns - reader->session.head->start_ns +
				 reader->session.head->start_real_ns :
			 0;
}

uint32_t reader_find(const struct reader *reader, uint32_t slot, uint64_t pos,
		     enum mpsan_event_type type)
{
	return index_map_find(reader->places, slot, pos, type);
}

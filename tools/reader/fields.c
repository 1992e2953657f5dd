/* See fields.h. */
#include "fields.h"

#include <stddef.h>

#include "../../include/mpsan_event.h"

#define FIELD(name, format) {#name, format},
#define EVENT(name, use, meaning, fields) \
	static const struct field fields_of_##name[] = {fields{NULL, DEC}};
#define BLOB(name, meaning)
#include "../../include/mpsan_events.def"
#undef EVENT
#undef BLOB

static const struct {
	const char *name;
	const struct field *fields; /* NULL: bytes */
} events[] = {
	{"none", NULL},
#define EVENT(name, use, meaning, fields) {#name, fields_of_##name},
#define BLOB(name, meaning) {#name, NULL},
#include "../../include/mpsan_events.def"
#undef EVENT
#undef BLOB
};
#undef FIELD

const char *event_name(unsigned type)
{
	return type < EV_COUNT ? events[type].name : "unknown";
}

const struct field *event_fields(unsigned type)
{
	return type < EV_COUNT ? events[type].fields : NULL;
}

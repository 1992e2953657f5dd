/* SPDX-License-Identifier: Apache-2.0 */
/* The names and formats of events' fields, from mpsan_events.def. */
#include "fields.h"

#include <stddef.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_texts.h"

#define FIELD(name, format) {#name, FORMAT_##format},
#define EVENT(name, use, meaning, fields) \
	static const struct field fields_of_##name[] = {fields{NULL, FORMAT_DEC}};
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

static const struct {
	const char *(*text)(uint64_t value);
	bool is_bits;
} formats[] = {
#define ENUM(name) [FORMAT_##name] = {mpsan_##name##_text, false},
#define BITS(name) [FORMAT_##name] = {mpsan_##name##_text, true},
#define VALUE(...)
#define COUNT(constant)
#define END(name)
#include "../../include/mpsan_enums.def"
#undef ENUM
#undef BITS
#undef VALUE
#undef COUNT
#undef END
};

const char *field_text(enum field_format format, uint64_t value)
{
	return formats[format].text ? formats[format].text(value) : NULL;
}

bool field_is_bits(enum field_format format)
{
	return formats[format].is_bits;
}

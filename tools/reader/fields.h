/* SPDX-License-Identifier: Apache-2.0 */
/* Events and their fields by name, from mpsan_events.def. Neighbours: dump.h, evidence_event.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* NULL after the last */
enum field_format {
	FORMAT_DEC,
	FORMAT_HEX,
	FORMAT_TIME,
	FORMAT_POS,
	FORMAT_CODE,
#define ENUM(name) FORMAT_##name,
#define BITS(name) FORMAT_##name,
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

struct field {
	/* "unknown" and NULL for an unknown type; NULL also for events that carry bytes. */
	const char *name;
	enum field_format format;
};

/* "unknown" and NULL for what is no event; NULL also for events that carry bytes. */
const char *event_name(unsigned type);
const struct field *event_fields(unsigned type);

/* The text of a value, NULL: its format has none, or none for it. */
const char *field_text(enum field_format format, uint64_t value);

/* Whether a format is a sum of bits, each with its text. */
bool field_is_bits(enum field_format format);

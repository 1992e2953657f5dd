/*
 * The events and their fields by name, as mpsan_events.def has them. Neighbours: dump.h shows them,
 * evidence_event.h tells of them.
 */
#ifndef MPSAN_FIELDS_H
#define MPSAN_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* Those with a name of mpsan_enums.def have a text for each value or bit. */
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
	const char *name; /* NULL behind the last */
	enum field_format format;
};

/* "unknown" and NULL for what is no event; NULL also for events that carry bytes. */
const char *event_name(unsigned type);
const struct field *event_fields(unsigned type);

/* The text of a value, NULL: its format has none, or none for it. */
const char *field_text(enum field_format format, uint64_t value);

/* Whether a format is a sum of bits, each with its text. */
bool field_is_bits(enum field_format format);

#endif

/*
 * The events and their fields by name, as mpsan_events.def has them. Neighbours: dump.h shows them,
 * evidence_event.h tells of them.
 */
#ifndef MPSAN_FIELDS_H
#define MPSAN_FIELDS_H

enum field_format { DEC, HEX, TIME, KIND, FLAGS, HOW, POS, CODE };

struct field {
	const char *name; /* NULL behind the last */
	enum field_format format;
};

/* "unknown" and NULL for what is no event; NULL also for events that carry bytes. */
const char *event_name(unsigned type);
const struct field *event_fields(unsigned type);

#endif

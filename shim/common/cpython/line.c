/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the line tables of code objects, of which there were four kinds. */
#include "line.h"

#include "object.h"
#include "span.h"

#define LINES_MAX (256u << 10) /* bytes of one line table */

/* 3.8, 3.9: pairs (bytes of code, lines); Objects/lnotab_notes.txt */
static unsigned line_of_lnotab(struct span *table, unsigned line, long wanted)
{
	long address = 0;
	int bytes, lines;

	while ((bytes = span_byte(table)) >= 0 && (lines = span_byte(table)) >= 0) {
		address += bytes;
		if (address > wanted)
			break;
		line += (unsigned)(int8_t)lines;
	}
	return line;
}

/* 3.10, PEP 626: pairs (bytes of code in this entry, lines before it; -128: it has no line) */
static unsigned line_of_linetable(struct span *table, unsigned line, long wanted)
{
	long end = 0;
	int bytes, lines;

	while ((bytes = span_byte(table)) >= 0 && (lines = span_byte(table)) >= 0) {
		bool none = (int8_t)lines == -128;

		end += bytes;
		if (!none)
			line += (unsigned)(int8_t)lines;
		if (end > wanted)
			return none ? 0 : line;
	}
	return 0;
}

/*
 * Reads a signed number in groups of six bits, lowest first; the lowest bit of the whole is the
 * sign.
 */
static int signed_varint(struct span *table)
{
	unsigned value = 0, shift = 0;
	int byte;

	do {
		byte = span_byte(table);
		if (byte < 0)
			return 0;
		value |= (unsigned)(byte & 63) << shift;
		shift += 6;
	} while ((byte & 64) && shift < 32);
	return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

#define LOCATION_NONE 15 /* kinds of PEP 657's entries */
#define LOCATION_LONG 14
#define LOCATION_NO_COLUMNS 13
#define LOCATION_ONE_LINE 10 /* to 12: the line goes on by 0 to 2; below 10 it stays */

static int location_lines(struct span *table, int kind)
{
	if (kind == LOCATION_LONG || kind == LOCATION_NO_COLUMNS)
		return signed_varint(table);
	return kind >= LOCATION_ONE_LINE && kind < LOCATION_NO_COLUMNS ? kind - LOCATION_ONE_LINE :
									 0;
}

/* 3.11 on, PEP 657: the top bit is set in the first byte of each entry, and in no other. */
static unsigned line_of_locations(struct span *table, unsigned line, long wanted)
{
	int byte = span_byte(table);
	long end = 0;

	while (byte >= 0) {
		int kind = byte >> 3 & 15;

		end += 2 * ((byte & 7) + 1);
		line += (unsigned)location_lines(table, kind);
		if (end > wanted)
			return kind == LOCATION_NONE ? 0 : line;
		do
			byte = span_byte(table);
		while (byte >= 0 && !(byte & 0x80));
	}
	return 0;
}

unsigned cpython_line(const struct cpython *py, uint64_t table, unsigned first_line, long wanted)
{
	const unsigned char *head;
	struct span span;

	if (wanted < 0)
		return first_line;
	span_open(&span, py, table);
	head = span_take(&span, py->at.bytes_items);
	if (!head || word_at(head, py->at.object_type) != py->bytes_type)
		return 0;
	span.left = word_at(head, py->at.bytes_size);
	if (span.left > LINES_MAX)
		span.left = LINES_MAX;
	if (py->at.minor < 10)
		return line_of_lnotab(&span, first_line, wanted);
	if (py->at.minor < 11)
		return line_of_linetable(&span, first_line, wanted);
	return line_of_locations(&span, first_line, wanted);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the message of a panic of Rust: "thread 'main' (71) panicked at src/main.rs:3:5:", and its text on the next line. */
#include "rust_panic.h"

#include <string.h>

/* Bytes from `from` up to `end`, of which `piece` are the first; NULL: they are not. */
static const char *skip(const char *from, const char *end, const char *piece)
{
	size_t length = strlen(piece);

	return from && (size_t)(end - from) >= length && !memcmp(from, piece, length) ?
		       from + length :
		       NULL;
}

/* The first place of `piece` on the same line, and past it. */
static const char *find(const char *from, const char *end, const char *piece)
{
	const char *past = NULL;

	for (; from && from < end && *from != '\n' && !past; from++)
		past = skip(from, end, piece);
	return past;
}

static const char *line_end(const char *from, const char *end)
{
	while (from < end && *from != '\n')
		from++;
	return from;
}

/* Cuts a number and the colon before it from the end of a place; false: there is none. */
static bool cut_number(const char *from, size_t *length)
{
	size_t at = *length;

	while (at && from[at - 1] >= '0' && from[at - 1] <= '9')
		at--;
	if (at < 2 || at == *length || from[at - 1] != ':')
		return false;
	*length = at - 1;
	return true;
}

bool rust_panic_read(const char *from, size_t bytes, struct rust_panic *panic)
{
	const char *end = from + bytes, *at = skip(from, end, "\n") ?: from, *name;
	size_t file;

	name = skip(at, end, "thread '");
	panic->place = find(find(name, end, "'"), end, " panicked at ");
	if (!panic->place)
		return false;
	at = line_end(panic->place, end);
	if (at == end || at[-1] != ':')
		return false;
	panic->place_length = (size_t)(at - 1 - panic->place);
	if (!cut_number(panic->place, &panic->place_length))
		return false;
	file = panic->place_length;
	panic->text = at + 1;
	panic->text_length = (size_t)(line_end(panic->text, end) - panic->text);
	return cut_number(panic->place, &file);
}

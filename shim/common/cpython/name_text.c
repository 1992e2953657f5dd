/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a lock's name. */
#include "name_text.h"

#include "at_hand.h"

#define TYPE_BYTES 64u

void name_write_class(struct writer *w, const struct cpython *py, uint64_t type)
{
	char text[TYPE_BYTES];
	const char *last = text;

	cpython_c_text(py, cpython_member(py, type, CPYTHON_TYPE_NAME), text, sizeof(text));
	for (const char *c = text; *c; c++)
		last = *c == '.' ? c + 1 : last;
	if (last == text + 8 && !memcmp(text, "_thread.lock", 13))
		last = "Lock";
	while (*last)
		writer_byte(w, (unsigned char)*last++);
}

void name_write_type(struct writer *w, const struct cpython *py, uint64_t object)
{
	name_write_class(w, py, cpython_type(py, object));
}

void name_write_owner(struct writer *w, const struct cpython *py, uint64_t owner)
{
	uint64_t name = cpython_file_name(py, cpython_attribute(py, owner, "stream"));

	name_write_type(w, py, owner);
	if (cpython_string_is(py, name, "<stderr>") || cpython_string_is(py, name, "<stdout>")) {
		writer_chars(w, " ");
		writer_string(w, py, name);
	}
}

void name_write_base(struct writer *w, const struct cpython *py, uint64_t file)
{
	char path[512];
	struct writer whole = writer_open(path, sizeof(path));
	const char *base = path;

	writer_string(&whole, py, file);
	writer_close(&whole, sizeof(path));
	for (const char *c = path; *c; c++)
		base = *c == '/' ? c + 1 : base;
	writer_chars(w, base);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Takes frames apart. */
#include "pyframe.h"

#include <string.h>

bool pytext_is(struct pytext piece, const char *text)
{
	return piece.length == strlen(text) && !memcmp(piece.text, text, piece.length);
}

bool pytext_has(struct pytext piece, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i + length <= piece.length; i++)
		if (!memcmp(piece.text + i, text, length))
			return true;
	return false;
}

bool pytext_ends(struct pytext piece, const char *text)
{
	size_t length = strlen(text);

	return piece.length >= length && !memcmp(piece.text + piece.length - length, text, length);
}

struct pyframe pyframe_of(struct pytext function, struct pytext file)
{
	struct pyframe frame = {{function.text, 0}, function, file, {"", 0}};
	size_t dot = function.length;

	while (dot && function.text[dot - 1] != '.')
		dot--;
	if (dot) {
		frame.class.length = dot - 1;
		frame.function.text += dot;
		frame.function.length -= dot;
	}
	return frame;
}

bool pyframe_next(const char **text, struct pyframe *frame)
{
	while (*text && **text) {
		const char *line = *text, *end = strchr(line, '\n'),
			   *stop = end ? end : line + strlen(line),
			   *file = memchr(line, '\t', (size_t)(stop - line)),
			   *number = file ? memchr(file + 1, '\t', (size_t)(stop - file - 1)) :
					    NULL;

		*text = *stop ? stop + 1 : stop;
		if (!number)
			continue;
		*frame = pyframe_of((struct pytext){line, (size_t)(file - line)},
				    (struct pytext){file + 1, (size_t)(number - file - 1)});
		frame->line = (struct pytext){number + 1, (size_t)(stop - number - 1)};
		return true;
	}
	return false;
}

bool pyframe_in(const struct pyframe *frame, const char *file)
{
	const char *name = file + (*file == '/');
	size_t length = strlen(name);

	return pytext_ends(frame->file, name) &&
	       (frame->file.length == length ||
		frame->file.text[frame->file.length - length - 1] == '/');
}

bool pyframe_is(const struct pyframe *frame, const char *function, const char *file)
{
	return (!*function || pytext_is(frame->function, function)) && pyframe_in(frame, file);
}

bool pyframe_is_standard(const struct pyframe *frame)
{
	struct pytext file = frame->file;

	return (file.length && file.text[0] == '<') ||
	       ((pytext_has(file, "/lib/python") || pytext_has(file, "/lib64/python") ||
		 pytext_has(file, "/Lib/")) &&
		!pytext_has(file, "-packages/"));
}

bool pyframe_among(const char *text, const char *function, const char *file)
{
	struct pyframe frame;

	while (pyframe_next(&text, &frame))
		if (pyframe_is(&frame, function, file))
			return true;
	return false;
}

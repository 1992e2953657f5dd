/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the text of an exception apart, and puts it into words. */
#include "raised.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/util.h"
#include "frame.h"
#include "frames.h"

/* One of them: its head, then frames. */
static json_t *one_json(char *block)
{
	char *type = strchr(block, '\t'), *said = type ? strchr(type + 1, '\t') : NULL,
	     *frames = said ? strchr(said + 1, '\n') : NULL;

	if (!frames)
		return NULL;
	*type++ = *said++ = *frames++ = '\0';
	return json_pack("{s:o, s:o, s:o, s:o}", "type", jsontext_of(type), "text",
			 *said ? jsontext_of(said) : json_null(), "raised",
			 frames_python_text(frames), "how", jsontext_of(block));
}

json_t *raised_json(const char *text)
{
	char *copy = text ? text_copy(text) : NULL, *next = copy ? strstr(copy, "\n\n") : NULL;
	json_t *handling, *before;

	if (next)
		next[1] = '\0';
	handling = copy ? one_json(copy) : NULL;
	before = handling && next ? one_json(next + 2) : NULL;
	if (handling)
		json_object_set_new(handling, "before", before ? before : json_null());
	free(copy);
	return handling;
}

/* The innermost frame of the program's own code, in whatever of a library it was raised. */
static json_t *own_frame(json_t *raised)
{
	json_t *frame;

	JSON_EACH(frame, raised)
		if (!frame_distance(frame))
			return frame;
	return frames_first_script(raised);
}

/* As Python would write it; a quote in the text is not escaped. */
char *raised_name(const json_t *handling)
{
	const char *said = jsontext_string(handling, "text"),
		   *quote = said && strchr(said, '\'') ? "\"" : "'";
	char *place = frame_text(own_frame(json_object_get(handling, "raised"))), *text;

	text = said ? text_format("%s(%s%s%s)", jsontext_at(handling, "type"), quote, said, quote) :
		      text_copy(jsontext_at(handling, "type"));
	if (place)
		text = text_join(text, "", text_format(" raised at %s", place));
	free(place);
	return text;
}

char *raised_text(const json_t *handling)
{
	const char *how = jsontext_at(handling, "how");
	AUTO_FREE char *name = NULL;

	if (!json_is_object(handling))
		return text_copy("");
	name = raised_name(handling);
	return !strcmp(how, "ended")  ? text_format(" after %s ended the main module", name) :
	       !strcmp(how, "failed") ? text_format(" beside a Future that failed with %s", name) :
					text_format(" while handling %s", name);
}

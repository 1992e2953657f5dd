/* SPDX-License-Identifier: Apache-2.0 */
/* See ps_memory.h: prints the document as text. */
#include <stdlib.h>

#include "../base/jsontext.h"
#include "../evidence/text_cuda.h"
#include "ps_memory.h"
#include "ps_text.h"

#define TOLD_MAX 40u /* segments shown, the largest first */

static char *size_of(const json_t *object)
{
	return bytes_text((uint64_t)json_integer_value(json_object_get(object, "bytes")));
}

/* "  mapped by: A, B" */
static void print_list(FILE *out, const char *title, const json_t *list)
{
	const char *between = title;
	json_t *who;

	JSON_EACH(who, list) {
		fprintf(out, "%s%s", between, jsontext_string(who, "who"));
		between = ", ";
	}
	if (json_array_size(list))
		putc('\n', out);
}

static void print_made(FILE *out, const json_t *made, long long now_ns)
{
	AUTO_FREE char *since = NULL, *at = NULL;

	if (!json_is_object(made))
		return;
	since = line_lapse(json_integer_value(json_object_get(made, "time_ns")), now_ns);
	at = text_copy(jsontext_string(made, "at") ? jsontext_string(made, "at") :
						     "an unknown place");
	line_clean(at);
	fprintf(out, "    created by %s %s ago at %s\n", jsontext_string(made, "who"), since, at);
}

void ps_memory_print_segment(FILE *out, const json_t *segment, long long now_ns)
{
	AUTO_FREE char *size = size_of(segment);
	AUTO_FREE char *name = text_copy(jsontext_string(segment, "name") ?
						 jsontext_string(segment, "name") :
						 "without a name");
	json_int_t sent = json_integer_value(json_object_get(segment, "sent"));

	line_clean(name);
	fprintf(out, "  %s, %s%s%s", name, size,
		json_is_true(json_object_get(segment, "tensor")) ? ", a tensor" : "",
		json_is_true(json_object_get(segment, "linked")) ? ", its name is in /dev/shm" :
								   "");
	if (sent)
		fprintf(out, ", sent %s", sent == 1 ? "once" : "");
	if (sent > 1)
		fprintf(out, "%lld times", (long long)sent);
	putc('\n', out);
	print_made(out, json_object_get(segment, "made"), now_ns);
	print_list(out, "    mapped by ", json_object_get(segment, "mappers"));
	print_list(out, "    open in ", json_object_get(segment, "holders"));
	if (json_is_object(json_object_get(segment, "removed_by")))
		fprintf(out, "    unlinked by %s\n",
			jsontext_string(json_object_get(segment, "removed_by"), "who"));
}

void ps_memory_print(FILE *out, const json_t *document)
{
	const json_t *segments = json_object_get(document, "segments");
	const json_t *made = json_object_get(document, "made");
	long long now_ns = json_integer_value(json_object_get(document, "time_ns"));
	json_int_t hidden = json_integer_value(json_object_get(document, "hidden"));
	AUTO_FREE char *total = size_of(made);
	json_t *segment;
	size_t i;

	if (json_integer_value(json_object_get(made, "segments")))
		fprintf(out, "shared memory: %zu segment%s, of %lld created (%s in all)\n",
			json_array_size(segments), json_array_size(segments) == 1 ? " is" : "s are",
			(long long)json_integer_value(json_object_get(made, "segments")), total);
	else
		fprintf(out, "shared memory: none created\n");
	json_array_foreach(segments, i, segment)
		if (i < TOLD_MAX)
			ps_memory_print_segment(out, segment, now_ns);
	if (json_array_size(segments) > TOLD_MAX)
		fprintf(out, "  and %zu smaller ones; --json lists all\n",
			json_array_size(segments) - TOLD_MAX);
	if (hidden)
		fprintf(out, "  %lld processes cannot be read\n", (long long)hidden);
}

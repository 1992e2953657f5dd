/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves stacks and call sites to JSON frames, with a cache. */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "../base/index_map.h"
#include "../base/jsontext.h"
#include "../reader/maps.h"
#include "../symbolizer/origin.h"
#include "../symbolizer/symbolizer.h"
#include "../symbolizer/unwind/unwind.h" /* UNWIND_SIGNAL */
#include "sources.h"
#include "symbols.h"

#define PYTHON_FRAMES 256u /* per stack; the library records fewer */
#define FRAMES_MAX 128u

struct frames {
	const struct reader *reader;
	struct maps *maps;
	struct symbols *symbols;
	struct index_map *known; /* index into cache by the place of a stack record */
	ARRAY(json_t *) cache;
	/* compilation directories of files with relative names, by module and name */
	json_t *built;
	struct sources *sources;
};

struct frames *frames_create(const struct reader *reader)
{
	struct frames *frames = memory_get(sizeof(*frames));

	frames->reader = reader;
	frames->maps = maps_create(reader);
	frames->symbols = symbols_create();
	frames->known = index_map_create();
	frames->built = json_object();
	frames->sources = sources_create(reader);
	return frames;
}

void frames_destroy(struct frames *frames)
{
	if (!frames)
		return;
	for (uint32_t i = 0; i < frames->cache.count; i++)
		json_decref(frames->cache.item[i]);
	free(frames->cache.item);
	index_map_destroy(frames->known);
	json_decref(frames->built);
	sources_destroy(frames->sources);
	symbols_destroy(frames->symbols);
	maps_destroy(frames->maps);
	free(frames);
}

void frames_learn(struct frames *frames, uint32_t slot, uint32_t pid, uint64_t time_ns)
{
	maps_learn(frames->maps, slot, pid, time_ns);
}

void frames_forget(struct frames *frames, uint32_t slot)
{
	maps_forget(frames->maps, slot);
}

/* Kept apart from the frame, as no other code needs it. */
static void note_built(struct frames *frames, const struct symbol *symbol)
{
	AUTO_FREE char *key = NULL;

	if (!symbol->file || *symbol->file == '/' || !symbol->built_in)
		return;
	key = text_format("%s:%s", symbol->module, symbol->file);
	json_object_set_new(frames->built, key, jsontext_of(symbol->built_in));
}

const char *frames_built_in(const struct frames *frames, const json_t *frame)
{
	AUTO_FREE char *key =
		text_format("%s:%s", jsontext_at(frame, "module"), jsontext_at(frame, "file"));

	return json_string_value(json_object_get(frames->built, key));
}

void frames_show(struct frames *frames, const struct fact_place *at, json_t *stack)
{
	sources_show(frames->sources, frames, at, stack);
}

static json_t *frame_of_symbol(struct frames *frames, const struct symbol *symbol)
{
	json_t *frame = json_pack("{s:o, s:o, s:I, s:o, s:o}", "function",
				  jsontext_of(symbol->function), "module",
				  jsontext_of(symbol->module), "offset", (json_int_t)symbol->offset,
				  "file", jsontext_of(symbol->file), "line",
				  symbol->line ? json_integer(symbol->line) : json_null());

	if (symbol->inlined)
		json_object_set_new(frame, "inlined", json_true());
	note_built(frames, symbol);
	return frame;
}

/* The frames of one address, innermost first: the functions inlined there, too. */
static json_t *frames_create_at(struct frames *frames, const struct modules *modules, uint64_t pc,
				bool is_return)
{
	struct symbol symbol[SYMBOLS_PLACES];
	unsigned count =
		symbols_places(frames->symbols, modules, pc, is_return, symbol, SYMBOLS_PLACES);
	json_t *list = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(list, frame_of_symbol(frames, &symbol[i]));
	if (!count)
		json_array_append_new(list,
				      json_pack("{s:n, s:n, s:I, s:n, s:n}", "function", "module",
						"offset", (json_int_t)pc, "file", "line"));
	return list;
}

/*
 * Drops mpsan's own frames: the innermost run of frames of mpsan and the C library, up to the last
 * one of mpsan. It includes the hook that was called, which the step's text names.
 */
static void drop_own_frames(json_t *list)
{
	size_t inner = 0, i;
	json_t *frame;

	json_array_foreach(list, i, frame) {
		const char *module = json_string_value(json_object_get(frame, "module"));

		if (!module || !origin_is_plumbing(module))
			break;
		if (!strncmp(path_base(module), "libmpsan", 8))
			inner = i + 1;
	}
	while (inner--)
		json_array_remove(list, 0);
}

static json_t *handled_text(uint8_t signal)
{
	AUTO_FREE char *text = signal == UNWIND_SIGNAL ? text_copy("a signal") :
							 text_signal(signal);

	return json_string(text);
}

json_t *frames_unwind(struct frames *frames, const struct fact_place *at,
		      const struct mpsan_stack *head)
{
	const struct modules *modules = maps_at(frames->maps, at->by, at->time_ns);
	json_t *list = json_array();
	uint64_t pcs[FRAMES_MAX];
	uint8_t signals[FRAMES_MAX] = {0};
	size_t count;

	count = symbolizer_unwind(modules, head, (const uint8_t *)(head + 1), pcs, signals,
				  FRAMES_MAX);
	for (size_t i = 0; i < count; i++) {
		json_auto_t *here = frames_create_at(frames, modules, pcs[i], i > 0);

		if (signals[i])
			json_object_set_new(json_array_get(here, 0), "handler_of",
					    handled_text(signals[i]));
		json_array_extend(list, here);
	}
	drop_own_frames(list);
	return list;
}

static json_t *unwind(struct frames *frames, const struct fact_place *at,
		      const struct record *record)
{
	const struct fact_place then = {.by = at->by, .time_ns = record->time_ns};
	const struct mpsan_stack *head = record->payload;

	if (record->bytes < sizeof(*head) || head->bytes > record->bytes - sizeof(*head))
		return json_array();
	return frames_unwind(frames, &then, head);
}

json_t *frames_native(struct frames *frames, const struct fact_place *at, uint64_t pos)
{
	struct record record;
	uint32_t index = index_map_find(frames->known, at->slot, pos, EV_stack);
	json_t *list;

	if (index != FACT_NONE)
		return json_incref(frames->cache.item[index]);
	if (!reader_record(frames->reader, at->slot, pos, EV_stack, &record))
		return json_array();
	list = unwind(frames, at, &record);
	*ARRAY_ADD(&frames->cache) = json_incref(list);
	index_map_add(frames->known, at->slot, pos, EV_stack, frames->cache.count - 1);
	return list;
}

/* A line is function TAB file TAB line. */
static json_t *parse_python(char *line)
{
	char *file = strchr(line, '\t'), *number = file ? strchr(file + 1, '\t') : NULL;

	if (!number)
		return NULL;
	*file++ = '\0';
	*number++ = '\0';
	return json_pack("{s:o, s:o, s:i}", "function", jsontext_of(line), "file",
			 jsontext_of(file), "line", atoi(number));
}

json_t *frames_python(const struct frames *frames, const struct fact_place *at, uint64_t pos)
{
	return frames_python_text(reader_text(frames->reader, at->slot, pos));
}

json_t *frames_python_text(const char *text)
{
	json_t *list = json_array();
	char *copy, *rest, *line;

	if (!text)
		return list;
	copy = text_copy(text);
	rest = copy;
	while (json_array_size(list) < PYTHON_FRAMES && (line = strsep(&rest, "\n"))) {
		json_t *frame = parse_python(line);

		if (frame)
			json_array_append_new(list, frame);
	}
	free(copy);
	return list;
}

json_t *frame_of_caller(struct frames *frames, const struct fact_place *at, uint64_t caller)
{
	const struct modules *modules = maps_at(frames->maps, at->by, at->time_ns);
	json_auto_t *list = caller ? frames_create_at(frames, modules, caller, true) : NULL;
	json_t *frame, *own = json_array_get(list, 0);

	JSON_EACH(frame, list) {
		if (frame_is_header(frame))
			continue;
		own = frame;
		break;
	}
	json_incref(own);
	return own;
}

char *frames_function(struct frames *frames, const struct fact_place *at, uint64_t entry)
{
	struct symbol symbol = {0};

	if (!entry || !symbols_name(frames->symbols, maps_at(frames->maps, at->by, at->time_ns),
				    entry, false, &symbol))
		return NULL;
	return symbol.function ? text_copy(symbol.function) : NULL;
}

char *frames_object(struct frames *frames, const struct fact_place *at, uint64_t address)
{
	const struct modules *modules = maps_at(frames->maps, at->by, at->time_ns);
	struct symbol symbol = {0};

	if (!symbols_name_data(frames->symbols, modules, address, &symbol) || !symbol.function)
		return NULL;
	if (!symbol.offset)
		return text_copy(symbol.function);
	return text_format("%s+0x%llx", symbol.function, (unsigned long long)symbol.offset);
}

json_t *frame_of_call(struct frames *frames, const struct fact_place *at, uint64_t caller,
		      json_t *native)
{
	json_t *frame = frame_of_caller(frames, at, caller);
	json_t *own = frame && frame_is_header(frame) ? frames_first_own(native) : NULL;

	if (!own)
		return frame;
	json_decref(frame);
	return json_incref(own);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the names of addresses: see symbols.h. */
#define _GNU_SOURCE 1 /* tdestroy */
#include "symbols.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "../symbolizer/origin.h"
#include "../symbolizer/symbolizer.h"

/* A cached answer. Files with the same build-id have the same names, wherever they lie. */
struct answer {
	char *file; /* see symbolizer_key */
	uint64_t ahead; /* of the address that was asked for, behind the module's base */
	struct names names;
};

/* All users have the same: the parts of a command ask for the same addresses. */
struct symbols {
	void *paths; /* trees */
	void *answers;
	unsigned users;
};

static struct symbols shared;

struct symbols *symbols_create(void)
{
	shared.users++;
	return &shared;
}

static void answer_destroy(void *node)
{
	AUTO_FREE struct answer *answer = node;

	names_free(&answer->names);
	free(answer->file);
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols || --symbols->users)
		return;
	tdestroy(symbols->answers, answer_destroy);
	tdestroy(symbols->paths, free);
	*symbols = (struct symbols){0};
	symbolizer_finish();
}

static int compare_answers(const void *left, const void *right)
{
	const struct answer *one = left;
	const struct answer *other = right;

	if (one->ahead != other->ahead)
		return one->ahead < other->ahead ? -1 : 1;
	return strcmp(one->file, other->file);
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(left, right);
}

/* A copy that lives as long as the answers. */
static char *keep_path(struct symbols *symbols, const char *path)
{
	void *node = tfind(path, &symbols->paths, compare_texts);
	char *copy;

	if (node)
		return *(char **)node;
	copy = text_copy(path);
	tsearch(copy, &symbols->paths, compare_texts);
	return copy;
}

static const struct answer *find_answer(struct symbols *symbols, const struct module *module,
					uint64_t ahead)
{
	struct answer key = {.file = symbolizer_key(module), .ahead = ahead}, *answer;
	void *node = tfind(&key, &symbols->answers, compare_answers);
	bool lines = module->path && !origin_is_plumbing(module->path);

	if (node) {
		free(key.file);
		return *(struct answer **)node;
	}
	answer = memory_get(sizeof(*answer));
	*answer = key;
	symbolizer_names(module, ahead, lines, &answer->names);
	if (!tsearch(answer, &symbols->answers, compare_answers)) {
		answer_destroy(answer);
		return NULL;
	}
	return answer;
}

/* The answer for `back` bytes before `address`; sets the module and the offset in its file. */
static const struct answer *symbols_ask(struct symbols *symbols, const struct modules *modules,
					uint64_t address, unsigned back, struct symbol *out)
{
	const struct module *module = modules_find(modules, address - back);
	const struct answer *answer;

	*out = (struct symbol){0};
	if (!module)
		return NULL;
	answer = find_answer(symbols, module, address - back - module->base);
	if (!answer)
		return NULL;
	out->module = keep_path(symbols, module->path ? module->path : "");
	out->offset = address - module->base + answer->names.lowest;
	return answer;
}

unsigned symbols_places(struct symbols *symbols, const struct modules *modules, uint64_t pc,
			bool is_return_address, struct symbol *out, unsigned max)
{
	struct symbol symbol;
	const struct answer *answer = symbols_ask(symbols, modules, pc, is_return_address, &symbol);
	const struct names *names = answer ? &answer->names : NULL;
	unsigned first = names && names->places > max ? names->places - max : 0;

	if (!names)
		return 0;
	symbol.function = names->object;
	symbol.built_in = names->built_in;
	out[0] = symbol;
	for (unsigned i = first; i < names->places; i++) {
		out[i - first] = symbol;
		out[i - first].file = names->place[i].file;
		out[i - first].line = names->place[i].line;
		out[i - first].inlined = names->place[i].function != NULL;
		if (names->place[i].function)
			out[i - first].function = names->place[i].function;
	}
	return names->places ? names->places - first : 1;
}

bool symbols_name(struct symbols *symbols, const struct modules *modules, uint64_t pc,
		  bool is_return_address, struct symbol *out)
{
	return symbols_places(symbols, modules, pc, is_return_address, out, 1);
}

bool symbols_name_data(struct symbols *symbols, const struct modules *modules, uint64_t address,
		       struct symbol *out)
{
	const struct answer *answer = symbols_ask(symbols, modules, address, 0, out);

	if (!answer)
		return false;
	out->function = answer->names.object;
	if (out->function)
		out->offset -= answer->names.start;
	return true;
}

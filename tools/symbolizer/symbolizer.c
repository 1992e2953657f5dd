/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the symbolizer's process, and remembers which files it could not stand: see symbolizer.h. */
#include "symbolizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/util.h"
#include "process.h"
#include "serve.h"

#define STUCK_MAX 2u /* files on file systems that do not answer: each costs seconds */
#define HARMS_MAX 32u

/* A file that did harm. */
struct harm {
	char *key, *path;
	enum names_depth depth;
	enum process_end how;
};

static ARRAY(struct harm) harms;
static unsigned harm_done, stuck; /* how often */
static char *given_up; /* why nothing is asked any more */

static struct message question, answer;

/* ---- harm ---- */

char *symbolizer_key(const struct module *module)
{
	if (module->build_id)
		return text_copy(module->build_id);
	return text_format("%s\n%s", module->root ? module->root : "",
			   module->path ? module->path : "");
}

static struct harm *find_harm(const struct module *module)
{
	struct harm *found = NULL;
	AUTO_FREE char *key = NULL;

	if (!harms.count)
		return NULL;
	key = symbolizer_key(module);
	for (uint32_t i = 0; i < harms.count && !found; i++)
		if (!strcmp(harms.item[i].key, key))
			found = &harms.item[i];
	return found;
}

static enum names_depth depth_of(const struct module *module)
{
	const struct harm *harm = find_harm(module);

	return harm ? harm->depth : NAMES_LINES;
}

static void give_up(const char *why)
{
	if (!given_up)
		given_up = text_copy(why);
}

/* `module` may be NULL: it is not known which file did it. */
static void note_harm(const struct module *module, enum process_end how, enum names_depth depth)
{
	struct harm *harm = module ? find_harm(module) : NULL;

	harm_done++;
	if (module && !harm) {
		harm = ARRAY_ADD(&harms);
		*harm = (struct harm){
			.key = symbolizer_key(module),
			.path = text_copy(module->path ? module->path : "a module"),
		};
	}
	if (harm) {
		harm->depth = how == PROCESS_STUCK ? NAMES_NOTHING : depth;
		harm->how = how;
	}
	if (how == PROCESS_STUCK && ++stuck == STUCK_MAX)
		give_up("a file system does not answer");
	if (harm_done == HARMS_MAX)
		give_up("too many files could not be read");
}

/* NULL: there is no answer; then `how` says why. */
static struct message *ask(enum process_end *how)
{
	*how = process_ask(&question, &answer);
	if (*how == PROCESS_UNAVAILABLE) {
		char *why = text_format("no process for it can be started: %s", strerror(errno));

		give_up(why);
		free(why);
	}
	return *how == PROCESS_ANSWERED ? &answer : NULL;
}

static void begin(enum question kind)
{
	message_begin(&question);
	message_put(&question, kind);
}

/* ---- names ---- */

static char *take_copy(void)
{
	const char *text = message_take_text(&answer);

	return text ? text_copy(text) : NULL;
}

static void take_names(struct names *names)
{
	uint64_t places;

	names->lowest = message_take(&answer);
	names->object = take_copy();
	names->start = message_take(&answer);
	names->built_in = take_copy();
	places = message_take(&answer);
	for (uint64_t i = 0; i < places && i < NAMES_PLACES && !answer.bad; i++) {
		names->place[i].function = take_copy();
		names->place[i].file = take_copy();
		names->place[i].line = (int)message_take(&answer);
		names->places++;
	}
}

/* A place has a file: what lacks it was no honest answer. */
static bool are_whole(const struct names *names)
{
	for (unsigned i = 0; i < names->places; i++)
		if (!names->place[i].file)
			return false;
	return !answer.bad;
}

bool symbolizer_names(const struct module *module, uint64_t ahead, bool lines, struct names *names)
{
	enum process_end how = PROCESS_ANSWERED;
	enum names_depth depth;

	*names = (struct names){0};
	while (!given_up && (depth = depth_of(module)) != NAMES_NOTHING) {
		begin(ASK_NAMES);
		message_put(&question, depth);
		message_put(&question, lines);
		message_put_module(&question, module);
		message_put(&question, ahead);
		if (ask(&how)) {
			take_names(names);
			if (are_whole(names))
				return true;
			names_free(names);
			how = PROCESS_CRASHED;
		}
		if (how != PROCESS_UNAVAILABLE)
			note_harm(module, how, depth + 1);
	}
	return false;
}

/* ---- stacks ---- */

/* Whether that process has this list, with the depths as they are now. */
static bool has_list(const struct modules *modules, uint32_t process)
{
	static struct {
		uint64_t made;
		uint32_t process, harm_done;
	} last;
	bool same = modules->made && last.made == modules->made && last.process == process &&
		    last.harm_done == harm_done;

	last.made = modules->made;
	last.process = process;
	last.harm_done = harm_done;
	return same;
}

static void put_list(const struct modules *modules, uint32_t process)
{
	bool same = has_list(modules, process);

	message_put(&question, modules->made);
	message_put(&question, same ? SERVE_SAME_LIST : modules->count);
	for (size_t i = 0; i < modules->count && !same; i++) {
		message_put(&question, depth_of(&modules->item[i]));
		message_put_module(&question, &modules->item[i]);
	}
}

static size_t take_stack(uint64_t *pcs, uint8_t *signals, size_t max)
{
	uint64_t count = message_take(&answer);
	const void *addresses, *handlers;

	if (count > max)
		return 0;
	addresses = message_take_bytes(&answer, count * sizeof(*pcs));
	handlers = message_take_bytes(&answer, count);
	if (answer.bad)
		return 0;
	memcpy(pcs, addresses, count * sizeof(*pcs));
	if (signals)
		memcpy(signals, handlers, count);
	return count;
}

/* What is known without unwinding. */
static size_t top_alone(const struct mpsan_stack *head, uint64_t *pcs, uint8_t *signals)
{
	pcs[0] = head->regs[MPSAN_STACK_PC];
	if (signals)
		signals[0] = 0;
	return 1;
}

size_t symbolizer_unwind(const struct modules *modules, const struct mpsan_stack *head,
			 const uint8_t *bytes, uint64_t *pcs, uint8_t *signals, size_t max)
{
	enum process_end how = PROCESS_ANSWERED;
	uint32_t process, module;

	if (!max || !(head->valid >> MPSAN_STACK_PC & 1))
		return 0;
	while (!given_up && how != PROCESS_UNAVAILABLE) {
		process = process_start();
		begin(ASK_UNWIND);
		put_list(modules, process);
		message_put_bytes(&question, head, sizeof(*head));
		message_put_bytes(&question, bytes, head->bytes);
		message_put(&question, max);
		message_put(&question, signals != NULL);
		if (ask(&how))
			return take_stack(pcs, signals, max);
		module = process_module();
		if (!module || module > modules->count) {
			note_harm(NULL, how, NAMES_NOTHING);
			break;
		}
		note_harm(&modules->item[module - 1], how, NAMES_NOTHING);
	}
	return top_alone(head, pcs, signals);
}

/* ---- Python ---- */

bool symbolizer_python(const char *path, struct python_symbols *symbols)
{
	const struct module module = {.path = (char *)(uintptr_t)path};
	enum process_end how;
	const void *bytes;

	if (given_up || depth_of(&module) == NAMES_NOTHING)
		return false;
	begin(ASK_PYTHON);
	message_put_text(&question, path);
	if (!ask(&how)) {
		if (how != PROCESS_UNAVAILABLE)
			note_harm(&module, how, NAMES_NOTHING);
		return false;
	}
	bytes = message_take(&answer) ? message_take_bytes(&answer, sizeof(*symbols)) : NULL;
	if (!bytes)
		return false;
	memcpy(symbols, bytes, sizeof(*symbols));
	return true;
}

/* ---- the rest ---- */

/* Whether it is the program of a process that has ended: what was asked of it went with it. */
static bool has_ended(const struct harm *harm)
{
	return !strncmp(harm->path, "/proc/", 6) && access(harm->path, F_OK) && errno == ENOENT;
}

void symbolizer_each_limit(void (*see)(const char *text, void *context), void *context)
{
	static const char *const reasons[] = {
		[PROCESS_CRASHED] = "it is damaged",
		[PROCESS_SLOW] = "to read it takes too long",
		[PROCESS_STUCK] = "its file system does not answer",
	};

	for (uint32_t i = 0; i < harms.count; i++) {
		const struct harm *harm = &harms.item[i];
		AUTO_FREE char *text = NULL;

		if (has_ended(harm))
			continue;
		text = text_format("%s: its %s are not shown: %s", harm->path,
				   harm->depth == NAMES_NOTHING ? "functions" : "source lines",
				   reasons[harm->how]);

		see(text, context);
	}
	if (given_up) {
		AUTO_FREE char *text = text_format("native functions are not named: %s", given_up);

		see(text, context);
	}
}

pid_t symbolizer_pid(void)
{
	return process_pid();
}

void symbolizer_finish(void)
{
	process_stop();
	message_finish(&question);
	message_finish(&answer);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Takes questions, asks names.c, unwind.c and python_symbols.c, and gives answers: see serve.h. */
#include "serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"
#include "../base/apart.h"
#include "../base/util.h"
#include "message.h"
#include "names.h"
#include "python_symbols.h"
#include "sandbox.h"
#include "unwind/unwind.h"

#define FRAMES_MAX 1024u

static volatile uint32_t *at_work;
static struct message question, answer;

/* The modules of the last unwinding question; their texts are in `list`. */
static struct message list;
static struct modules modules;

/* ---- questions ---- */

static void answer_names(void)
{
	enum names_depth depth = message_take(&question);
	bool lines = message_take(&question);
	struct names names;
	struct module module;

	message_take_module(&question, &module);
	names_find(&module, message_take(&question), depth, lines, &names);
	message_put(&answer, names.lowest);
	message_put_text(&answer, names.object);
	message_put(&answer, names.start);
	message_put_text(&answer, names.built_in);
	message_put(&answer, names.places);
	for (unsigned i = 0; i < names.places; i++) {
		message_put_text(&answer, names.place[i].function);
		message_put_text(&answer, names.place[i].file);
		message_put(&answer, (uint64_t)names.place[i].line);
	}
	names_free(&names);
}

/* Files that did harm are left out by name: what is no path is no file. */
static void take_list(uint64_t made, size_t count)
{
	message_begin(&list);
	message_put_bytes(&list, question.bytes + question.at, question.used - question.at);
	free(modules.item);
	modules = (struct modules){.item = memory_get(count * sizeof(*modules.item)), .made = made};
	for (; modules.count < count && !list.bad; modules.count++) {
		enum names_depth depth = message_take(&list);
		struct module *module = &modules.item[modules.count];

		message_take_module(&list, module);
		if (depth == NAMES_NOTHING)
			module->path = module->mapped = NULL;
	}
	question.at += list.at;
	question.bad |= list.bad;
}

static void answer_unwind(void)
{
	uint64_t made = message_take(&question), count = message_take(&question), max;
	const void *head_at, *bytes;
	struct mpsan_stack head = {0};
	uint64_t pcs[FRAMES_MAX];
	uint8_t signals[FRAMES_MAX] = {0};
	bool has_signals;

	if (count != SERVE_SAME_LIST)
		take_list(made, count);
	head_at = message_take_bytes(&question, sizeof(head));
	if (head_at)
		memcpy(&head, head_at, sizeof(head));
	bytes = message_take_bytes(&question, head.bytes);
	max = message_take(&question);
	has_signals = message_take(&question);
	if (question.bad || max > FRAMES_MAX)
		_exit(1);
	count = unwind_stack(&modules, &head, bytes, pcs, has_signals ? signals : NULL, max);
	message_put(&answer, count);
	message_put_bytes(&answer, pcs, count * sizeof(*pcs));
	message_put_bytes(&answer, signals, count);
}

static void answer_python(void)
{
	const char *path = message_take_text(&question);
	const struct python_symbols *symbols;

	symbols = path ? python_symbols_find(path) : NULL;
	message_put(&answer, symbols != NULL);
	if (symbols)
		message_put_bytes(&answer, symbols, sizeof(*symbols));
}

/* ---- the loop ---- */

static bool read_all(void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t got = read(SANDBOX_FD, (char *)to + done, bytes - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static bool take_question(void)
{
	uint64_t length;

	message_begin(&question);
	if (!read_all(&length, sizeof(length)))
		return false;
	if (length > question.room) {
		question.bytes = memory_grow(question.bytes, length);
		question.room = length;
	}
	question.used = length;
	return read_all(question.bytes, length);
}

static void see_image(const struct module *module)
{
	bool listed = module >= modules.item && module < modules.item + modules.count;

	*at_work = listed ? (uint32_t)(module - modules.item) + 1 : 0;
}

static void lost(void)
{
	_exit(1);
}

_Noreturn void serve(volatile uint32_t *module)
{
	static void (*const answers[])(void) = {
		[ASK_NAMES] = answer_names,
		[ASK_UNWIND] = answer_unwind,
		[ASK_PYTHON] = answer_python,
	};

	at_work = module;
	image_seen = see_image;
	memory_lost = lost;
	unsetenv("DEBUGINFOD_URLS"); /* elfutils would ask the network */
	while (take_question()) {
		uint64_t kind = message_take(&question), length;

		if (kind >= sizeof(answers) / sizeof(*answers))
			break;
		message_begin(&answer);
		*at_work = 0;
		answers[kind]();
		length = answer.used;
		if (!apart_answer(SANDBOX_FD, &length, sizeof(length)) ||
		    !apart_answer(SANDBOX_FD, answer.bytes, length))
			break;
	}
	_exit(0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Follows frames outwards through torch. */
#include "collective.h"

#include <stdio.h>
#include <string.h>

/* A line of a stack, taken apart. */
struct line {
	const char *function, *file, *number; /* each up to the next one's start */
	size_t function_bytes, file_bytes, number_bytes;
};

static const char *line_read(struct line *line, const char *text)
{
	size_t length = strcspn(text, "\n");
	const char *tab = memchr(text, '\t', length),
		   *second = tab ? memchr(tab + 1, '\t', length - (size_t)(tab + 1 - text)) : NULL;

	*line = (struct line){0};
	if (!second)
		return NULL;
	line->function = text;
	line->function_bytes = (size_t)(tab - text);
	line->file = tab + 1;
	line->file_bytes = (size_t)(second - line->file);
	line->number = second + 1;
	line->number_bytes = (size_t)(text + length - line->number);
	return text + length + (text[length] == '\n');
}

static bool has(const struct line *line, const char *part)
{
	return memmem(line->file, line->file_bytes, part, strlen(part)) != NULL;
}

static bool ends(const struct line *line, const char *part)
{
	size_t bytes = strlen(part);

	return line->file_bytes >= bytes &&
	       !memcmp(line->file + line->file_bytes - bytes, part, bytes);
}

/* The function without its class. */
static size_t own_name(const struct line *line, const char **name)
{
	const char *dot = memrchr(line->function, '.', line->function_bytes);

	*name = dot ? dot + 1 : line->function;
	return line->function_bytes - (size_t)(*name - line->function);
}

static bool is_named(const struct line *line, const char *with)
{
	const char *name;
	size_t bytes = own_name(line, &name);

	return bytes == strlen(with) && !memcmp(name, with, bytes);
}

static bool is_standard(const struct line *line)
{
	return line->file[0] == '<' || ((has(line, "/lib/python") || has(line, "/lib64/python")) &&
					!has(line, "-packages/"));
}

static bool is_torch(const struct line *line)
{
	return has(line, "/torch/distributed/") || has(line, "/torch/autograd/") ||
	       has(line, "/torch/nn/") || has(line, "/torch/utils/") || has(line, "/torch/_");
}

/* Launchers and remote calls wait for others, but not in a collective. */
static bool is_apart(const struct line *line)
{
	return has(line, "/torch/distributed/elastic/") || has(line, "/torch/distributed/rpc/") ||
	       has(line, "/torch/distributed/launcher/") ||
	       has(line, "/torch/distributed/launch.py") || has(line, "/torch/distributed/run.py");
}

/* Functions that meet the others at the store before they meet at all. */
static bool uses_store(const struct line *line)
{
	return has(line, "/torch/distributed/rendezvous.py") ||
	       is_named(line, "monitored_barrier") || is_named(line, "_store_based_barrier") ||
	       is_named(line, "init_process_group");
}

static bool is_backward(const struct line *line)
{
	return (has(line, "/torch/autograd/") || ends(line, "/torch/_tensor.py")) &&
	       (is_named(line, "backward") || is_named(line, "_engine_run_backward") ||
		is_named(line, "grad"));
}

static void name_it(struct collective *found, const char *name, size_t bytes)
{
	snprintf(found->name, sizeof(found->name), "%.*s", (int)bytes, name);
}

/* A function that the user calls names the collective; the outermost one is the one called. */
static void see(struct collective *found, const struct line *line, bool innermost)
{
	const char *name;
	size_t bytes = own_name(line, &name);

	found->by_store |= uses_store(line);
	if (ends(line, "/torch/distributed/distributed_c10d.py")) {
		if (bytes && (name[0] != '_' || !found->name[0]))
			name_it(found, name, bytes);
	} else if (innermost && is_backward(line)) {
		name_it(found, "backward", 8);
		found->by_backward = true;
	} else if (ends(line, "/torch/nn/parallel/distributed.py") &&
		   (innermost || found->name[0])) {
		name_it(found, "DistributedDataParallel", 23);
	} else if (innermost && has(line, "/torch/distributed/")) {
		name_it(found, name, bytes);
	}
}

void collective_place(const char *stack, char place[COLLECTIVE_PLACE])
{
	struct line line, chosen = {0};

	for (const char *next = stack; *next && (next = line_read(&line, next));) {
		bool own = !is_standard(&line) && !is_torch(&line);

		if (own || !chosen.file)
			chosen = line;
		if (own)
			break;
	}
	place[0] = '\0';
	if (chosen.file) {
		const char *slash = memrchr(chosen.file, '/', chosen.file_bytes),
			   *base = slash ? slash + 1 : chosen.file;

		snprintf(place, COLLECTIVE_PLACE, "%.*s:%.*s",
			 (int)(chosen.file_bytes - (size_t)(base - chosen.file)), base,
			 (int)chosen.number_bytes, chosen.number);
	}
}

struct collective collective_of(const char *stack)
{
	struct collective found = {0};
	bool innermost = true;
	struct line line;

	for (const char *next = stack; *next && (next = line_read(&line, next));) {
		if (is_apart(&line))
			return (struct collective){0};
		if (is_torch(&line))
			see(&found, &line, innermost);
		else if (!is_standard(&line) || innermost)
			break;
		innermost = false;
	}
	if (found.name[0])
		collective_place(stack, found.place);
	return found;
}

#define WORK "Work.wait"

bool collective_is_work(const struct collective *in)
{
	return !strcmp(in->name, WORK);
}

struct collective collective_of_work(const char *stack)
{
	struct collective found = {.name = WORK};

	collective_place(stack, found.place);
	return found;
}

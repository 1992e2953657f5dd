/* SPDX-License-Identifier: Apache-2.0 */
/* Follows frames outwards through torch. */
#include "collective.h"

#include <stdio.h>
#include <string.h>

#include "../facts/pyframe.h"

static bool has(const struct pyframe *frame, const char *part)
{
	return pytext_has(frame->file, part);
}

static bool is_torch(const struct pyframe *frame)
{
	return has(frame, "/torch/distributed/") || has(frame, "/torch/autograd/") ||
	       has(frame, "/torch/nn/") || has(frame, "/torch/utils/") || has(frame, "/torch/_");
}

/* Launchers and remote calls wait for others, but not in a collective. */
static bool is_apart(const struct pyframe *frame)
{
	return has(frame, "/torch/distributed/elastic/") || has(frame, "/torch/distributed/rpc/") ||
	       has(frame, "/torch/distributed/launcher/") ||
	       has(frame, "/torch/distributed/launch.py") ||
	       has(frame, "/torch/distributed/run.py");
}

/* Functions that meet the others at the store before they meet at all. */
static bool uses_store(const struct pyframe *frame)
{
	return has(frame, "/torch/distributed/rendezvous.py") ||
	       pytext_is(frame->function, "monitored_barrier") ||
	       pytext_is(frame->function, "_store_based_barrier") ||
	       pytext_is(frame->function, "init_process_group");
}

static bool is_backward(const struct pyframe *frame)
{
	return (has(frame, "/torch/autograd/") || pyframe_in(frame, "/torch/_tensor.py")) &&
	       (pytext_is(frame->function, "backward") ||
		pytext_is(frame->function, "_engine_run_backward") ||
		pytext_is(frame->function, "grad"));
}

static void name_it(struct collective *found, struct pytext name)
{
	snprintf(found->name, sizeof(found->name), "%.*s", (int)name.length, name.text);
}

/* A function that the user calls names the collective; the outermost one is the one called. */
static void see(struct collective *found, const struct pyframe *frame, bool innermost)
{
	struct pytext name = frame->function;

	found->by_store |= uses_store(frame);
	if (pyframe_in(frame, "/torch/distributed/distributed_c10d.py")) {
		if (name.length && (name.text[0] != '_' || !found->name[0]))
			name_it(found, name);
	} else if (innermost && is_backward(frame)) {
		name_it(found, (struct pytext){"backward", 8});
		found->by_backward = true;
	} else if (pyframe_in(frame, "/torch/nn/parallel/distributed.py") &&
		   (innermost || found->name[0])) {
		name_it(found, (struct pytext){"DistributedDataParallel", 23});
	} else if (innermost && has(frame, "/torch/distributed/")) {
		name_it(found, name);
	}
}

void collective_place(const char *stack, char place[COLLECTIVE_PLACE])
{
	struct pyframe frame, chosen = {0};

	while (pyframe_next(&stack, &frame)) {
		bool own = !pyframe_is_standard(&frame) && !is_torch(&frame);

		if (own || !chosen.file.text)
			chosen = frame;
		if (own)
			break;
	}
	place[0] = '\0';
	if (chosen.file.text) {
		const char *slash = memrchr(chosen.file.text, '/', chosen.file.length),
			   *base = slash ? slash + 1 : chosen.file.text;

		snprintf(place, COLLECTIVE_PLACE, "%.*s:%.*s", (int)(chosen.line.text - 1 - base),
			 base, (int)chosen.line.length, chosen.line.text);
	}
}

struct collective collective_of(const char *stack)
{
	struct collective found = {0};
	const char *text = stack;
	bool innermost = true;
	struct pyframe frame;

	while (pyframe_next(&text, &frame)) {
		if (is_apart(&frame))
			return (struct collective){0};
		if (is_torch(&frame))
			see(&found, &frame, innermost);
		else if (!pyframe_is_standard(&frame) || innermost)
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

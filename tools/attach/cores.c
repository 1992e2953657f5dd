/* SPDX-License-Identifier: Apache-2.0 */
/* Opens core files, and makes their processes the target. */
#include "cores.h"

#include <stdlib.h>

static char *add(struct cores *cores, const char *path, const char *exe)
{
	struct core *core;
	char *wrong = core_open(&core, path, exe);

	if (wrong)
		return wrong;
	for (uint32_t i = 0; i < cores->list.count; i++)
		if (core_pid(cores->list.item[i]) == core_pid(core))
			wrong = text_format("%s: of process %u, as another core file is", path,
					    core_pid(core));
	*ARRAY_ADD(&cores->list) = core;
	return wrong;
}

char *cores_open(struct cores *cores, struct target *target, const char *const *paths,
		 uint32_t count, const char *exe)
{
	char *wrong = NULL;

	for (uint32_t i = 0; i < count && !wrong; i++)
		wrong = add(cores, paths[i], exe);
	core_use(cores->list.item, cores->list.count);
	for (uint32_t i = 0; i < cores->list.count && !wrong; i++)
		target_add(target, core_pid(cores->list.item[i]), false);
	return wrong;
}

void cores_close(struct cores *cores)
{
	core_use(NULL, 0);
	for (uint32_t i = 0; i < cores->list.count; i++)
		core_close(cores->list.item[i]);
	free(cores->list.item);
	*cores = (struct cores){0};
}

char *cores_endings(const struct cores *cores)
{
	char *text = text_copy("");

	for (uint32_t i = 0; i < cores->list.count; i++) {
		const struct core *core = cores->list.item[i];
		uint32_t tid;
		int number = core_signal(core, &tid);
		AUTO_FREE char *name = text_signal(number),
			       *thread = tid == core_pid(core) ? text_copy("its main thread") :
								 text_format("thread %u", tid);

		if (number)
			text = text_join(text, "; ",
					 text_format("process %u was ended by %s, in %s",
						     core_pid(core), name, thread));
	}
	return text;
}

void cores_each_limit(const struct cores *cores, void (*see)(const char *what, void *context),
		      void *context)
{
	AUTO_FREE char *endings = cores_endings(cores);

	if (*endings)
		see(endings, context);
	for (uint32_t i = 0; i < cores->list.count; i++)
		core_each_limit(cores->list.item[i], see, context);
}

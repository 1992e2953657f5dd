/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of other preloaded libraries. See doctor.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../supervise/launch.h"
#include "doctor.h"

/* Known interposers; the first whose name is a prefix of the file's name counts. */
static const struct {
	const char *name, *text, *fix;
	enum doctor_grade grade;
} known[] = {
	{"libjemalloc", "an allocator, compatible with mpsan in any order", NULL, DOCTOR_OK},
	{"libtcmalloc", "an allocator, compatible with mpsan in any order", NULL, DOCTOR_OK},
	{"libmimalloc", "an allocator, compatible with mpsan in any order", NULL, DOCTOR_OK},
	{"libheaptrack", "a heap profiler, compatible with mpsan in any order", NULL, DOCTOR_OK},
	{"libfaketime", "fakes the program's time: timeouts in reports are in its time", NULL,
	 DOCTOR_OK},
	{"libasan", "AddressSanitizer has to be loaded first",
	 "ASAN_OPTIONS=verify_asan_link_order=0; `mpsan run` sets it for programs linked with ASan",
	 DOCTOR_WARN},
	{"libtsan", "ThreadSanitizer has to be loaded first", "use one of the two at a time",
	 DOCTOR_WARN},
	{"libfakeroot", "fakes file owners; mpsan is loaded before it", NULL, DOCTOR_OK},
	{"torch_memory_saver",
	 "replaces cudaMalloc, too: mpsan is loaded before it and sees the program's calls, not those to the driver",
	 "to see the driver's allocations, run once without it", DOCTOR_WARN},
};

static const char *search_file(const char *file, const struct doctor *doctor)
{
	AUTO_FREE char *name = NULL;
	bool there;

	if (!strchr(file, '/') || strchr(file, '$'))
		return file; /* the loader searches for it */
	name = text_format("%s%s", doctor->root, file);
	there = !access(name, R_OK);
	return there ? file : NULL;
}

static void look_at_ours(struct doctor *doctor, const char *subject, const char *file)
{
	AUTO_FREE char *ours = launch_find_library(), *real = realpath(file, NULL);

	if (ours && real && !strcmp(ours, real))
		doctor_say(doctor, DOCTOR_OK, subject, NULL, "%s, this mpsan's own library", file);
	else
		doctor_say(doctor, DOCTOR_WARN, subject,
			   text_format("unset LD_PRELOAD for `mpsan run`, or name %s",
				       ours ? ours : "this mpsan's library"),
			   "%s: another mpsan's libmpsan.so is preloaded", file);
}

static void look_at_library(struct doctor *doctor, const char *subject, const char *file)
{
	const char *base = path_base(file);

	if (!search_file(file, doctor)) {
		doctor_say(doctor, DOCTOR_WARN, subject, text_format("remove it from %s", subject),
			   "%s cannot be read: the loader prints an error in every program", file);
		return;
	}
	if (!strncmp(base, "libmpsan", strlen("libmpsan"))) {
		look_at_ours(doctor, subject, file);
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(base, known[i].name, strlen(known[i].name))) {
			doctor_say(doctor, known[i].grade, subject,
				   known[i].fix ? text_copy(known[i].fix) : NULL, "%s: %s", file,
				   known[i].text);
			return;
		}
	doctor_say(
		doctor, DOCTOR_OK, subject, NULL,
		"%s: unknown library; mpsan is loaded before it and takes its calls for the program's",
		file);
}

static void look_at_list(struct doctor *doctor, const char *subject, const char *list)
{
	char *copy = text_copy(list), *rest = copy, *file;

	while ((file = strsep(&rest, " :\t\n")))
		if (*file)
			look_at_library(doctor, subject, file);
	free(copy);
}

void doctor_preload(struct doctor *doctor, const char *list)
{
	AUTO_FREE char *everywhere = doctor_read(doctor, "/etc/ld.so.preload");

	if (list)
		look_at_list(doctor, "LD_PRELOAD", list);
	if (everywhere)
		look_at_list(doctor, "/etc/ld.so.preload", everywhere);
}

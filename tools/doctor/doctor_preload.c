/* Other libraries that come into every program. See doctor.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../supervise/launch.h"
#include "doctor.h"

/* What is known of libraries that stand in for functions; the first whose name begins a file's name. */
static const struct {
	const char *name, *text, *fix;
	enum doctor_grade grade;
} known[] = {
	{"libjemalloc", "an allocator, fine before and behind mpsan", NULL, DOCTOR_OK},
	{"libtcmalloc", "an allocator, fine before and behind mpsan", NULL, DOCTOR_OK},
	{"libmimalloc", "an allocator, fine before and behind mpsan", NULL, DOCTOR_OK},
	{"libheaptrack", "a heap profiler, fine before and behind mpsan", NULL, DOCTOR_OK},
	{"libfaketime",
	 "changes what the program sees of time: the timeouts in reports are those that it sees",
	 NULL, DOCTOR_OK},
	{"libasan", "AddressSanitizer wants to come first",
	 "ASAN_OPTIONS=verify_asan_link_order=0, which `mpsan run` adds for programs that are linked with it",
	 DOCTOR_WARN},
	{"libtsan",
	 "ThreadSanitizer wants to come first; it finds data races, mpsan what concerns processes",
	 "one of the two at a time", DOCTOR_WARN},
	{"libfakeroot", "answers for files and users; mpsan comes before it", NULL, DOCTOR_OK},
	{"torch_memory_saver",
	 "stands in for cudaMalloc too: mpsan comes before it and sees what the program asks, not what it makes of that",
	 "for allocations as the driver has them, run once without it", DOCTOR_WARN},
};

static const char *search_file(const char *file, const struct doctor *doctor)
{
	char *name;
	bool there;

	if (!strchr(file, '/') || strchr(file, '$'))
		return file; /* the loader searches */
	name = text_format("%s%s", doctor->root, file);
	there = !access(name, R_OK);
	free(name);
	return there ? file : NULL;
}

static void look_at_ours(struct doctor *doctor, const char *subject, const char *file)
{
	char *ours = launch_find_library(), *real = realpath(file, NULL);

	if (ours && real && !strcmp(ours, real))
		doctor_say(doctor, DOCTOR_OK, subject, NULL, "%s, this mpsan's own library", file);
	else
		doctor_say(doctor, DOCTOR_WARN, subject,
			   text_format("unset LD_PRELOAD for `mpsan run`, or name %s",
				       ours ? ours : "the library of this mpsan"),
			   "%s: another mpsan's library, a second one beside the own", file);
	free(ours);
	free(real);
}

static void look_at_library(struct doctor *doctor, const char *subject, const char *file)
{
	const char *base = path_base(file);

	if (!search_file(file, doctor)) {
		doctor_say(doctor, DOCTOR_WARN, subject, text_format("remove it from %s", subject),
			   "%s cannot be read: the loader complains in every program", file);
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
		"%s: not known; mpsan comes before it, so calls that it makes itself are seen as the program's",
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
	char *everywhere = doctor_read(doctor, "/etc/ld.so.preload");

	if (list)
		look_at_list(doctor, "LD_PRELOAD", list);
	if (everywhere)
		look_at_list(doctor, "/etc/ld.so.preload", everywhere);
	free(everywhere);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Has a child read a file as the user of a process. */
#include "foreign_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/apart.h"
#include "../../base/util.h"
#include "../root.h"

/* What the child answers, before the text. */
struct answer {
	uint64_t written_ns, changed_ns, made_ns;
};

static uint64_t modified_ns(const struct foreign_name *name)
{
	AUTO_FREE char *place = *name->made ? root_path(name->root, name->made, NULL) : NULL;
	struct stat st;
	bool known = place && !stat(place, &st) && st.st_mtim.tv_sec >= 0;

	return known ? (uint64_t)st.st_mtim.tv_sec * 1000000000ull + (uint64_t)st.st_mtim.tv_nsec :
		       0;
}

/*
 * Links on a relative path may be absolute: root, who could read what they mean here, goes to where the process has its
 * own root.
 */
static bool enter(const struct foreign_name *name)
{
	return (!name->root || !chroot(name->root) || geteuid()) && !fchdir(name->directory);
}

/* In the child, which ends with all that it allocates. */
static void read_it(int to, void *context)
{
	const struct foreign_name *name = context;
	bool absolute = *name->path == '/';
	struct source_file file = {0};
	struct answer answer;
	uint64_t linked_ns = 0;
	char *place;

	if ((!absolute && !enter(name)) || !proc_user_become(name->user))
		return;
	place = absolute ? root_path(name->root, name->path, &linked_ns) : text_copy(name->path);
	if (place)
		source_file_read(&file, place, absolute && name->root ? strlen(name->root) : 0);
	if (!file.text)
		return;
	answer.written_ns = file.written_ns;
	answer.changed_ns = linked_ns > file.changed_ns ? linked_ns : file.changed_ns;
	answer.made_ns = modified_ns(name);
	if (apart_answer(to, &answer, sizeof(answer)))
		apart_answer(to, file.text, file.bytes);
}

void foreign_file_read(struct source_file *file, const struct foreign_name *name, uint64_t *made_ns)
{
	size_t most = sizeof(struct answer) + SOURCE_FILE_MAX;
	AUTO_FREE char *bytes = memory_get(most + 1);
	size_t count = apart_ask(read_it, (void *)(uintptr_t)name, name->directory, bytes, most);
	struct answer answer = {0};

	*file = (struct source_file){0};
	if (count > sizeof(answer)) {
		memcpy(&answer, bytes, sizeof(answer));
		source_file_take(file, bytes + sizeof(answer), count - sizeof(answer));
		file->written_ns = answer.written_ns;
		file->changed_ns = answer.changed_ns;
	}
	if (made_ns)
		*made_ns = answer.made_ns;
}

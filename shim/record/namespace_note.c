/* SPDX-License-Identifier: Apache-2.0 */
/* The note is a symbolic link, BASE/.namespaces -> MOUNT.PIDNS.CLOCKS: one system call reads it. */
#include "namespace_note.h"

#include <fcntl.h>
#include <string.h>

#include "../intercept/sys.h"
#include "identity.h"

#define NOTE_BYTES 64
#define APART_NS 1000000u /* between two pairs of readings */

struct note_path {
	char text[256];
};

static struct note_path note_path(const char *base)
{
	struct note_path path;
	char *end = path.text + sizeof(path.text);

	text_put(text_put(path.text, end, base), end, "/.namespaces");
	return path;
}

static uint64_t clocks_apart(void)
{
	struct sys_clocks now = sys_clocks();

	return now.real_ns - now.ns;
}

uint64_t namespace_note_read(const char *base)
{
	struct note_path path = note_path(base);
	char note[NOTE_BYTES], mount[NOTE_BYTES], *end = mount + sizeof(mount);
	uint64_t seen = identity_proc_mount(), pid_ns;
	const char *rest;
	long n = SYS4(SYS_readlinkat, AT_FDCWD, path.text, note, sizeof(note) - 1);

	if (n <= 0 || !seen)
		return 0;
	note[n] = '\0';
	text_put(text_put_number(mount, end, seen, 16), end, ".");
	if (!text_starts(note, mount))
		return 0;
	pid_ns = text_number(note + strlen(mount), &rest);
	return *rest == '.' && clocks_apart() - text_number(rest + 1, NULL) + APART_NS <= 2 * APART_NS ?
		       pid_ns :
		       0;
}

void namespace_note_write(const char *base, uint64_t pid_ns)
{
	struct note_path path = note_path(base);
	char note[NOTE_BYTES], *end = note + sizeof(note), *at;
	uint64_t mount = identity_proc_mount();

	if (!mount || sys_image.monotonic_ahead_ns || sys_image.boot_ahead_ns)
		return;
	at = text_put(text_put_number(note, end, mount, 16), end, ".");
	at = text_put(text_put_number(at, end, pid_ns, 10), end, ".");
	text_put_number(at, end, clocks_apart(), 10);
	SYS3(SYS_unlinkat, AT_FDCWD, path.text, 0);
	SYS3(SYS_symlinkat, note, AT_FDCWD, path.text);
}

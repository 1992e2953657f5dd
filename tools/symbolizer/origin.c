/* SPDX-License-Identifier: Apache-2.0 */
/* Judges names of files: see origin.h. */
#include "origin.h"

#include <stddef.h>
#include <string.h>

#include "../base/util.h"

bool origin_is_rust(const char *file)
{
	return !strncmp(file, "/rustc/", 7) || !strncmp(file, "library/std/src/", 16) ||
	       !strncmp(file, "library/core/src/", 17) || !strncmp(file, "library/alloc/src/", 18);
}

bool origin_is_header(const char *file)
{
	return origin_is_rust(file) || !strncmp(file, "/usr/include/", 13) ||
	       !strncmp(file, "/usr/local/include/", 19) || strstr(file, "/include/c++/") ||
	       strstr(file, "/gthr-default.h");
}

bool origin_is_plumbing(const char *module)
{
	static const char *const prefix[] = {"libc.so",	 "libc-",     "libpthread", "ld-linux",
					     "ld-2",	 "libmpsan",  "libasan",    "libstdc++",
					     "libgcc_s", "linux-vdso"};
	const char *base = path_base(module);

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(base, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

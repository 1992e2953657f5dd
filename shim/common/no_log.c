/* SPDX-License-Identifier: Apache-2.0 */
/* Maps errno values to the reasons why a log could not be created, and these to their text. */
#include "no_log.h"

#include <errno.h>
#include <stddef.h>

enum mpsan_off no_log_reason(long error)
{
	switch (error < 0 ? -error : error) {
	case EFBIG:
		return MPSAN_OFF_LOG_SIZE;
	case ENOSPC:
	case EDQUOT:
		return MPSAN_OFF_LOG_SPACE;
	case EMFILE:
	case ENFILE:
		return MPSAN_OFF_LOG_FILES;
	case ENOMEM:
		return MPSAN_OFF_LOG_MEMORY;
	case EOPNOTSUPP:
		return MPSAN_OFF_LOG_PLACE;
	default:
		return MPSAN_OFF_NO_LOG;
	}
}

/*
 * A log grows by MPSAN_CHUNK, to 64 MiB unless log-max says otherwise; `ulimit -f` counts in units
 * of 512 or 1024 bytes.
 */
const char *no_log_text(unsigned why)
{
	switch (why) {
	case MPSAN_OFF_LOG_SIZE:
		return "no log can be written: it takes 256 KiB at first, and the file size limit "
		       "(RLIMIT_FSIZE) is lower; ulimit -f 131072 is enough";
	case MPSAN_OFF_LOG_SPACE:
		return "no log can be written: the session's file system is full, or a quota is "
		       "exhausted; free 256 KiB or more, or choose another place (TMPDIR, mpsan "
		       "run --dir)";
	case MPSAN_OFF_LOG_FILES:
		return "no log can be written: no descriptor is free; ulimit -n 1024 is enough for "
		       "most programs";
	case MPSAN_OFF_LOG_MEMORY:
		return "no log can be written: there is no memory to map it; raise ulimit -v, or "
		       "vm.max_map_count";
	case MPSAN_OFF_LOG_PLACE:
		return "no log can be written: the session's file system cannot reserve space "
		       "(fallocate); choose another (TMPDIR, mpsan run --dir)";
	case MPSAN_OFF_NO_LOG:
		return "no log can be written; set TMPDIR, MPSAN_DIR or mpsan run --dir to an "
		       "existing directory that you may write to";
	default:
		return NULL;
	}
}

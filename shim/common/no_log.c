/* SPDX-License-Identifier: Apache-2.0 */
/* Maps errno values to the reasons why a log could not be created, and these to their text. */
#include "no_log.h"

#include <errno.h>
#include <stddef.h>

#include "../../include/mpsan_texts.h"

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

const char *no_log_text(unsigned why)
{
	return why == MPSAN_OFF_NO_LOG ||
			       (why >= MPSAN_OFF_LOG_SIZE && why <= MPSAN_OFF_LOG_TOTAL) ?
		       mpsan_off_meaning(why) :
		       NULL;
}

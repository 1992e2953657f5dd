/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a reader that has gone from an error, and a terminal with colours from other streams. */
#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_no_reader(FILE *stream)
{
	struct pollfd end = {.fd = fileno(stream), .events = POLLOUT};

	return poll(&end, 1, 0) == 1 && end.revents & POLLERR;
}

bool stream_flush(FILE *stream)
{
	bool fine = !ferror(stream);
	int error;

	errno = 0;
	fine = !fflush(stream) && fine;
	error = errno;
	if (!fine && has_no_reader(stream)) {
		clearerr(stream);
		fine = true;
	}
	errno = error;
	return fine;
}

bool stream_is_coloured(FILE *stream)
{
	const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(off && *off) && terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(fileno(stream));
}

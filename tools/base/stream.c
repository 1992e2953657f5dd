/* SPDX-License-Identifier: Apache-2.0 */
/* Flushes streams, and tells a reader that has gone from an error. */
#include "stream.h"

#include <errno.h>
#include <poll.h>

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

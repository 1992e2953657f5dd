/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-held-long: reports the most expensive of all open imports, by bytes times duration. Its
 * producer could not reuse the memory meanwhile. That is fine for parameters that are shared on
 * purpose, so it is a note.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {consumer} had {bytes} of process {producer} on {device} open for {held}, more "
	"than any other process in bytes times duration",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it, by {open_function}, and had it for {held}"}},
};

static uint64_t held_ns(const struct facts *facts, const struct ipc_import *import)
{
	uint64_t close = ipc_close_ns(facts, import);

	close = close ? close : facts->now_ns;
	return import->ev.result || close < import->at.time_ns ? 0 : close - import->at.time_ns;
}

void rule_ipc_held_long(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	uint32_t most = 0;
	double cost = 0;

	for (uint32_t i = 0; i < facts->cuda.import_count; i++) {
		const struct ipc_import *import = &facts->cuda.imports[i];
		uint64_t held = held_ns(facts, import);
		double bytes = import->piece ? facts->cuda.pieces[import->piece - 1].bytes : 0;

		if (held < CUDA_HELD_LONG_NS || bytes * held <= cost)
			continue;
		cost = bytes * held;
		most = i + 1;
	}
	if (most)
		FIND_SHARED(out, ipc_held_long, GRADE_NOTE, trigger,
			    facts->cuda.imports[most - 1].piece, most, &message_text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names of CUDA's memory kinds, devices, errors, and of how processes ended. */
#include "text_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_texts.h"
#include "../facts/ipc.h"
#include "text_process.h"

const char *memory_text(uint64_t memory)
{
	return mpsan_memory_meaning(memory) ?: mpsan_memory_meaning(MPSAN_MEMORY_UNKNOWN);
}

const char *memory_name(uint64_t memory)
{
	return mpsan_memory_text(memory) ?: mpsan_memory_text(MPSAN_MEMORY_UNKNOWN);
}

char *bytes_text(uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes / 1024;
	unsigned unit = 0;
	char number[32];

	if (!bytes)
		return text_copy("memory of unknown size");
	if (bytes < 1024)
		return text_format("%llu byte%s", (unsigned long long)bytes, bytes == 1 ? "" : "s");
	for (; value >= 1024 && unit < 3; unit++)
		value /= 1024;
	snprintf(number, sizeof(number), value < 100 ? "%.1f" : "%.0f", value);
	if (strlen(number) > 2 && !strcmp(number + strlen(number) - 2, ".0"))
		number[strlen(number) - 2] = '\0';
	return text_format("%s %s", number, units[unit]);
}

char *device_text(uint64_t device)
{
	return (int64_t)device < 0 || device > INT32_MAX ?
		       text_copy("an unknown device") :
		       text_format("device %llu", (unsigned long long)device);
}

char *duration_text(uint64_t ns)
{
	if (ns < 1000000000ull)
		return text_format("%.3g ms", (double)ns / 1e6);
	return text_format("%.1f s", (double)ns / 1e9);
}

static const char *error_text(uint64_t error)
{
	static const struct {
		uint64_t error;
		const char *text;
	} errors[] = {
		{1, "invalid value"},
		{2, "out of memory"},
		{3, "not initialized"},
		{4, "shutting down"},
		{35, "driver too old or missing"},
		{46, "device busy or unavailable"},
		{100, "no device"},
		{101, "invalid device"},
		{201, "invalid context"},
		{205, "mapping failed"},
		{208, "already mapped"},
		{217, "no peer access"},
		{304, "operating system error"},
		{400, "invalid handle"},
		{500, "not found"},
		{600, "not ready"},
		{709, "context is destroyed"},
		{800, "not permitted"},
		{801, "not supported"},
		{999, "unknown error"},
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].error == error)
			return errors[i].text;
	return NULL;
}

char *result_text(const char *function, uint64_t result)
{
	bool system = function && !strncmp(function, "pidfd", 5);
	const char *text = system ? strerror((int)((int64_t)result < 0 ? -result : result)) :
				    error_text(result);

	if (!result)
		return text_copy("success");
	return text ? text_format("error %lld (%s)", (long long)result, text) :
		      text_format("error %lld", (long long)result);
}

char *end_text(const struct facts *facts, uint32_t slot)
{
	switch (cuda_end(facts, slot)) {
	case CUDA_END_NOT:
		return text_copy(PROCESS_STAYED);
	case CUDA_END_EXEC:
		return text_copy("executed another program");
	default:
		return process_ended_text(facts, slot);
	}
}

const char *cause_text(uint64_t cause)
{
	return mpsan_ipc_cause_meaning(cause) ?: mpsan_ipc_cause_meaning(MPSAN_CAUSE_UNKNOWN);
}

const char *cause_advice(uint64_t cause)
{
	switch (cause) {
	case MPSAN_CAUSE_YAMA:
		return "have the owner call prctl(PR_SET_PTRACER), or set kernel.yama.ptrace_scope to 0";
	case MPSAN_CAUSE_USER:
		return "run both processes as the same user";
	case MPSAN_CAUSE_CLOSED:
		return "keep the descriptor open until the consumer has taken it";
	default:
		return "run the container with --cap-add SYS_PTRACE";
	}
}

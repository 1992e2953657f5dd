/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of the kernel's settings: access to other processes, clock source, seccomp, GPU driver.
 * See doctor.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../proc/proc.h"
#include "../proc/process/status.h"
#include "../reader/hidepid.h"
#include "doctor.h"

/* Reads the memory of a child, as the supervisor does to prove deadlocks. Returns 0 or an errno. */
static int peek_at_child(void)
{
	int ends[2], word = 0x6d70, seen = 0, error;
	pid_t child;

	if (!filtered_may(SYS_pipe2))
		return EPERM;
	if (pipe(ends))
		return errno;
	child = fork();
	if (child == 0) {
		close(ends[1]);
		_exit(read(ends[0], &seen, 1) < 0);
	}
	close(ends[0]);
	error = child < 0 || proc_read((uint32_t)child, (uintptr_t)&word, &seen, sizeof(seen)) < 0 ?
			errno :
			0;
	close(ends[1]); /* ends the child */
	if (child > 0)
		waitpid(child, NULL, 0);
	return error;
}

void doctor_peek(struct doctor *doctor, int error)
{
	long long scope = doctor_number(doctor, "/proc/sys/kernel/yama/ptrace_scope", 0);

	if (!error && scope <= 1)
		doctor_say(
			doctor, DOCTOR_OK, "other processes",
			scope ? text_copy(
					"to use `mpsan ps` on programs started by others, and for descriptors "
					"of exported memory between siblings: sysctl kernel.yama.ptrace_scope=0, "
					"or root") :
				NULL,
			"their memory can be read%s",
			scope ? " by ancestors (kernel.yama.ptrace_scope=1), which `mpsan run` is" :
				"");
	else if (!error)
		doctor_say(
			doctor, DOCTOR_OK, "other processes", NULL,
			"their memory can be read (kernel.yama.ptrace_scope=%lld, with CAP_SYS_PTRACE)",
			scope);
	else
		doctor_say(
			doctor, DOCTOR_WARN, "other processes",
			text_copy(
				scope >= 3 ?
					"kernel.yama.ptrace_scope=3 cannot be changed at run time: remove it from "
					"/etc/sysctl.d and reboot" :
				scope == 2 ?
					"sysctl kernel.yama.ptrace_scope=1, or run as root" :
					"in a container: --cap-add SYS_PTRACE, or a seccomp profile that allows "
					"process_vm_readv"),
			"their memory cannot be read (%s): wait-for cycles and waits across processes "
			"cannot be proven, Python frames are missing, and hangs are only warnings",
			strerror(error));
}

void doctor_hidepid(struct doctor *doctor, bool privileged)
{
	char *text = doctor_read(doctor, "/proc/self/mountinfo"), *rest = text, *line;
	bool hidden = false;

	while (text && (line = strsep(&rest, "\n")))
		hidden |= hidepid_option(line);
	free(text);
	if (hidden && !privileged)
		doctor_say(
			doctor, DOCTOR_WARN, "/proc", text_copy(HIDDEN_CURE),
			"is mounted with hidepid: processes of other users and non-dumpable processes are "
			"hidden; waits that they could end are not reported as deadlocks");
	else if (!doctor_has(doctor, "/proc/self/status"))
		doctor_say(doctor, DOCTOR_BAD, "/proc", text_copy("mount -t proc proc /proc"),
			   "is not mounted: processes cannot be followed");
}

/*
 * Every record has a timestamp; reading the time is fast only with a clock source that needs no
 * system call.
 */
static void look_at_clock(struct doctor *doctor)
{
	AUTO_FREE char *source = doctor_read(
		doctor, "/sys/devices/system/clocksource/clocksource0/current_clocksource");

	if (source)
		source[strcspn(source, "\n")] = '\0';
	if (source && (!strcmp(source, "hpet") || !strcmp(source, "acpi_pm") ||
		       !strcmp(source, "refined-jiffies") || !strcmp(source, "xen")))
		doctor_say(
			doctor, DOCTOR_WARN, "clock",
			text_copy(
				"if the TSC is reliable, boot with tsc=reliable; the kernel log says why "
				"it was disabled"),
			"%s: reading the time takes a system call, which makes each record ten times as expensive",
			source);
}

static void look_at_seccomp(struct doctor *doctor)
{
	AUTO_FREE char *status = doctor_read(doctor, "/proc/self/status");
	const char *line = status ? proc_status_line(status, "Seccomp") : NULL,
		   *missed = filtered_try();
	AUTO_FREE char *deadly = filtered_names();

	if (line && atoi(line) == 1)
		doctor_say(doctor, DOCTOR_BAD, "seccomp",
			   text_copy("start it outside this sandbox"),
			   "strict mode: no program can be started");
	else if (*deadly)
		doctor_say(
			doctor, missed ? DOCTOR_BAD : DOCTOR_WARN, "seccomp",
			text_copy(
				"let the filter allow them or return an error (SECCOMP_RET_ERRNO)"),
			"a filter kills the caller of: %s; mpsan %s", deadly,
			missed ? "needs them" : "works without them");
}

static void look_at_gpu(struct doctor *doctor)
{
	AUTO_FREE char *text = doctor_read(doctor, "/proc/driver/nvidia/version");
	char *name = text ? strstr(text, "NVRM version: ") : NULL;

	if (name)
		doctor_say(doctor, DOCTOR_OK, "GPU", NULL, "%.*s", (int)strcspn(name, "\n"), name);
	else
		doctor_say(doctor, DOCTOR_OK, "GPU", NULL, "no NVIDIA driver; CUDA rules inactive");
}

void doctor_kernel(struct doctor *doctor)
{
	doctor_peek(doctor, peek_at_child());
	doctor_hidepid(doctor, !geteuid());
	look_at_clock(doctor);
	look_at_seccomp(doctor);
	look_at_gpu(doctor);
}

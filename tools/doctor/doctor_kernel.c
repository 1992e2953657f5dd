/* What may be seen of other processes, how time is read, and whether there is a driver of CUDA. See doctor.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../proc/proc.h"
#include "../reader/hidden.h"
#include "doctor.h"

/* Reads the memory of a child, as is done for proofs about threads that wait: 0 or an errno. */
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
	close(ends[1]); /* which ends the child */
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
					"for `mpsan ps` of a program that it did not start, and for descriptors "
					"of exported memory between siblings: sysctl kernel.yama.ptrace_scope=0, "
					"or root") :
				NULL,
			"their memory can be read%s",
			scope ? " by ancestors (kernel.yama.ptrace_scope=1), which `mpsan run` is" :
				"");
	else if (!error)
		doctor_say(
			doctor, DOCTOR_OK, "other processes", NULL,
			"their memory can be read (kernel.yama.ptrace_scope=%lld, with the right to trace)",
			scope);
	else
		doctor_say(
			doctor, DOCTOR_WARN, "other processes",
			text_copy(
				scope >= 3 ?
					"kernel.yama.ptrace_scope=3 lasts until the next boot: remove it from "
					"/etc/sysctl.d and reboot" :
				scope == 2 ?
					"sysctl kernel.yama.ptrace_scope=1, or run as root" :
					"in a container: --cap-add SYS_PTRACE, or a seccomp profile that allows "
					"process_vm_readv"),
			"their memory cannot be read (%s): circles of waits, waits across processes and their "
			"Python lines cannot be proved, hangs are warnings",
			strerror(error));
}

void doctor_hidepid(struct doctor *doctor, bool privileged)
{
	char *text = doctor_read(doctor, "/proc/self/mountinfo"), *rest = text, *line;
	bool hidden = false;

	while (text && (line = strsep(&rest, "\n")))
		hidden |= hidden_option(line);
	free(text);
	if (hidden && !privileged)
		doctor_say(
			doctor, DOCTOR_WARN, "/proc", text_copy(HIDDEN_CURE),
			"is mounted with hidepid: processes of other users, and those that are not dumpable, "
			"cannot be seen; waits that they could end are never told as hangs for ever");
	else if (!doctor_has(doctor, "/proc/self/status"))
		doctor_say(doctor, DOCTOR_BAD, "/proc", text_copy("mount -t proc proc /proc"),
			   "is not mounted: no process can be followed");
}

/* Each record has its time: fast only while the kernel lets the processor's own counter be read. */
static void look_at_clock(struct doctor *doctor)
{
	char *source = doctor_read(
		doctor, "/sys/devices/system/clocksource/clocksource0/current_clocksource");

	if (source)
		source[strcspn(source, "\n")] = '\0';
	if (source && (!strcmp(source, "hpet") || !strcmp(source, "acpi_pm") ||
		       !strcmp(source, "refined-jiffies") || !strcmp(source, "xen")))
		doctor_say(
			doctor, DOCTOR_WARN, "clock",
			text_copy(
				"boot with tsc=reliable if the processor's counter is; see the kernel's log for why "
				"it was given up"),
			"%s: reading the time is a system call here, and records cost ten times as much",
			source);
	free(source);
}

static void look_at_seccomp(struct doctor *doctor)
{
	char *status = doctor_read(doctor, "/proc/self/status");
	const char *line = status ? strstr(status, "\nSeccomp:") : NULL, *missed = filtered_try();
	char *deadly = filtered_names();

	if (line && atoi(line + strlen("\nSeccomp:")) == 1)
		doctor_say(doctor, DOCTOR_BAD, "seccomp",
			   text_copy("start it outside this sandbox"),
			   "strict: no program can be started here");
	else if (*deadly)
		doctor_say(doctor, missed ? DOCTOR_BAD : DOCTOR_WARN, "seccomp",
			   text_copy("let the filter pass them, or meet them with an error"),
			   "a filter of system calls ends who makes one of these: %s; mpsan %s",
			   deadly, missed ? "cannot do without" : "does without");
	free(status);
	free(deadly);
}

static void look_at_gpu(struct doctor *doctor)
{
	char *text = doctor_read(doctor, "/proc/driver/nvidia/version");
	char *name = text ? strstr(text, "NVRM version: ") : NULL;

	if (name)
		doctor_say(doctor, DOCTOR_OK, "GPU", NULL, "%.*s", (int)strcspn(name, "\n"), name);
	else
		doctor_say(doctor, DOCTOR_OK, "GPU", NULL,
			   "no driver of NVIDIA here; the rules for CUDA will have nothing to say");
	free(text);
}

void doctor_kernel(struct doctor *doctor)
{
	doctor_peek(doctor, peek_at_child());
	doctor_hidepid(doctor, !geteuid());
	look_at_clock(doctor);
	look_at_seccomp(doctor);
	look_at_gpu(doctor);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the program continue unwatched when mpsan fails. */
#include "rescue.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/guard.h"
#include "../base/util.h"
#include "launch.h"
#include "own_command.h"
#include "program_state.h"

#define GRACE_S 3 /* from the first termination signal to the end of the command */

static struct {
	char **argv;
	volatile pid_t child; /* 0: not started */
	const char *dir; /* to be removed; NULL: none */
	struct mpsan_session *head; /* of the session; NULL: none */
	char **reports; /* the command that writes them; NULL: none */
	bool over;
	bool failed; /* something may have been missed: do not report success */
	int status; /* for the shell */
	volatile sig_atomic_t asked; /* termination signals for the command itself */
} program;

static void say(const char *why)
{
	const char *rest = program.over	 ? "; its program has ended, its report is not complete\n" :
			   program.child ? "; the program goes on unwatched\n" :
					   "; the program runs unwatched\n";
	const char *piece[] = {"mpsan: ", why, rest};
	static char line[1024];
	size_t length = 0;

	for (int i = 0; i < 3; i++)
		for (const char *c = piece[i]; *c && length < sizeof(line); c++)
			line[length++] = *c;
	if (write(STDERR_FILENO, line, length) < 0)
		return; /* no reader */
}

/* Executes the program in this process if no second process is possible. */
static _Noreturn void become(void)
{
	int error;

	program_state_give();
	execvp(program.argv[0], program.argv);
	error = errno;
	complain("%s: %s", program.argv[0], strerror(error));
	_exit(launch_status(error));
}

static void start(void)
{
	launch_start(NULL, program.argv, &program.child);
	if (program.child)
		return;
	if (launch_status(errno) == STATUS_BROKEN)
		become(); /* no room for two processes */
	complain("%s: %s", program.argv[0], strerror(errno));
	_exit(launch_status(errno));
}

void rescue_at_once(char **argv, const char *why)
{
	program.argv = argv;
	say(why);
	become();
}

static int wait_for_program(void)
{
	int status, number;

	while (waitpid(program.child, &status, WNOHANG) == 0)
		if ((number = program_state_wait(-1, NULL)))
			program_state_hand_on(program.child, number);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Another process reads what was recorded: this one's memory is not to be trusted. */
static void write_reports(void)
{
	pid_t pid = own_command_start(program.reports, true);

	while (pid && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void rescue(const char *why)
{
	say(why);
	if (!program.child && !program.over)
		start();
	if (!program.over) {
		program_state_started();
		program.status = wait_for_program();
		if (program.failed && program.reports)
			write_reports();
	}
	if (program.dir)
		launch_remove(program.dir);
	_exit(program.status || !program.failed ? program.status : STATUS_BROKEN);
}

static void lost_memory(void)
{
	program.failed = program.over;
	rescue(memory_why());
}

/* A crash of mpsan fails a program that succeeded: findings may be missing. */
static void rescue_crashed(int number)
{
	static char why[] = "mpsan itself has failed (signal 00)";
	char *digits = strchr(why, '0');

	digits[0] += number / 10;
	digits[1] += number % 10;
	program.failed = true;
	if (program.head && !guard_has_cut()) {
		program.head->failed = (uint32_t)number;
		program.head->failed_ns = clock_ns(CLOCK_MONOTONIC);
	}
	rescue(why);
}

static void out_of_time(int number)
{
	(void)number;
	program.failed = true;
	rescue("ended by a signal");
}

static void end_soon(int number)
{
	if (program.asked++)
		out_of_time(number);
	alarm(GRACE_S);
}

void rescue_prepare(char **argv)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
	static char stack[1 << 16];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};

	program.argv = argv;
	memory_lost = lost_memory;
	sigaltstack(&other, NULL);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		program_state_signal(faults[i], rescue_crashed, SA_ONSTACK | SA_RESETHAND);
}

pid_t rescue_start(const struct launch_variable *variables, const char *dir)
{
	program.dir = dir;
	launch_start(variables, program.argv, &program.child);
	return program.child;
}

void rescue_reports(struct mpsan_session *head, char **reports)
{
	program.head = head;
	program.reports = reports;
}

void rescue_ended(int status)
{
	program.status = status;
	program.over = true;
	program_state_signal(SIGALRM, out_of_time, 0);
	program_state_end(end_soon);
}

bool rescue_is_due(void)
{
	return program.asked;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `mpsan`: looks up the sub-command in commands.def and calls it. Neighbours: cmd_*.c,
 * one each.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../include/mpsan_version.h"
#include "../base/suggest.h"
#include "../base/util.h"
#include "../base/wrap.h"
#include "command.h"
#include "topics.h"

static const struct {
	const char *name;
	const char *usage;
	const char *help;
	int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, arguments, help) {#name, usage_##name, help, cmd_##name},
#include "commands.def"
#undef COMMAND
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

#define HELP_COLUMN 18

static int print_help(FILE *out)
{
	fputs("mpsan, a multiprocessing sanitizer\n\n"
	      "  $ mpsan run -- python3 train.py     watch a program, and say why it hangs\n"
	      "  $ mpsan attach PID                  examine one that hangs already\n"
	      "  $ pytest --mpsan                    watch each test\n\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++) {
		fprintf(out, "  mpsan %-*s", HELP_COLUMN - 8, commands[i].name);
		wrap_print(out, HELP_COLUMN, commands[i].help);
	}
	fputs("\n'mpsan help COMMAND' and 'mpsan COMMAND --help' show how to use a command,\n"
	      "'mpsan --version' its version.\n\n'mpsan help TOPIC' shows a page on:\n",
	      out);
	topics_list(out);
	return out == stdout ? 0 : STATUS_USAGE;
}

static const char *command_name(size_t number)
{
	return number < COMMANDS ? commands[number].name : NULL;
}

static const char *help_name(size_t number)
{
	return number < COMMANDS ? commands[number].name : topic_name(number - COMMANDS);
}

static bool is_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return true;
	return false;
}

/* Whoever gives a program or a PID alone gets the command for it. */
static int no_such_command(const char *word)
{
	AUTO_FREE char *near = suggest_names(word, command_name);
	bool is_number = *word && strspn(word, "0123456789") == strlen(word);

	if (*near || *word == '-' || !*word)
		complain("unknown command %s%s; 'mpsan help' lists them", word, near);
	else if (is_number)
		complain(
			"unknown command %s; 'mpsan attach %s' examines the process, 'mpsan help' lists commands",
			word, word);
	else
		complain(
			"unknown command %s; 'mpsan run -- %s' watches a program, 'mpsan help' lists commands",
			word, word);
	return STATUS_USAGE;
}

static int run_command(int argc, char **argv)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, argv[0]))
			return commands[i].run(argc, argv);
	return no_such_command(argv[0]);
}

static int no_help_on(const char *name)
{
	AUTO_FREE char *near = suggest_names(name, help_name);

	complain("help: no such command or topic: %s%s; 'mpsan help' lists them", name, near);
	return STATUS_USAGE;
}

/* `mpsan help COMMAND` is `mpsan COMMAND --help`. */
static int help_on(char *name)
{
	if (is_command(name))
		return run_command(2, (char *[]){name, "--help", NULL});
	return topic_print(name) ? 0 : no_help_on(name);
}

static int help(int argc, char **argv)
{
	bool of_itself = argc == 2 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
				       !strcmp(argv[1], "-h"));

	if (argc > 2)
		return complain("help: one command or topic expected; 'mpsan help' lists them");
	return argc < 2 || of_itself ? print_help(stdout) : help_on(argv[1]);
}

/* Output that could not be written is an error. */
static int finish(int status)
{
	bool fine = !fflush(stdout) && !ferror(stdout);

	return fine || status ? status : complain("cannot write to standard output");
}

/*
 * If a standard stream is closed, one of our files could get its number and the program's output.
 * /dev/null fills the gap; what the program inherits stays as it is.
 */
static void fill_streams(void)
{
	struct stat st;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &st) && errno == EBADF)
			open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

static bool is_one_of(const char *word, const char *const *names)
{
	while (*names && strcmp(word, *names))
		names++;
	return *names;
}

static int run_all(int argc, char **argv)
{
	static const char *const version[] = {"--version", "-V", "version", NULL};
	static const char *const usage[] = {"--help", "-h", NULL};

	if (argc < 2)
		return print_help(stderr);
	if (is_one_of(argv[1], usage))
		return print_help(stdout);
	if (!strcmp(argv[1], "help"))
		return help(argc - 1, argv + 1);
	if (!is_one_of(argv[1], version))
		return run_command(argc - 1, argv + 1);
	if (argc > 2)
		return complain("%s takes nothing more: %s", argv[1], argv[2]);
	puts("mpsan " MPSAN_VERSION);
	return 0;
}

#define STACK_BYTES (1u << 20)

static struct {
	int argc;
	char **argv;
	int status;
} command;

static void run_there(void)
{
	fill_streams();
	command.status = finish(run_all(command.argc, command.argv));
}

/* Runs the command on a stack of its own if the stack cannot grow (ulimit -s). */
static void run_on_own_stack(void)
{
	static ucontext_t here, there;
	void *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED || getcontext(&there)) {
		run_there();
		return;
	}
	there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
	there.uc_link = &here;
	makecontext(&there, run_there, 0);
	swapcontext(&here, &there);
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	command.argc = argc;
	command.argv = argv;
	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < STACK_BYTES)
		run_on_own_stack();
	else
		run_there();
	return command.status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables as words for shell completions. The printed functions take the name of a sub-command
 * and print its completions. Neighbours: expand.h, tables.h; the code around them is in
 * mpsan.bash.in and mpsan.zsh.in.
 */
#include <stdbool.h>
#include <string.h>

#include "../cmd/options.h"
#include "expand.h"
#include "tables.h"

static int words_place_of(const char *command)
{
	for (const struct place_row *place = table_places; place->name; place++)
		if (!strcmp(place->name, command))
			return place->where;
	return 0;
}

static void print_names(const char *variable, const struct named_row *row)
{
	printf("_mpsan_%s='", variable);
	for (const char *before = ""; row->name; row++, before = " ")
		printf("%s%s", before, row->name);
	puts("'");
}

static void print_policies(void)
{
	const char *before = "";

	fputs("_mpsan_policies='", stdout);
	for (const struct policy_row *row = table_policies; row->policy; row++)
		if (!row->grade) {
			printf("%s%s", before, row->policy);
			before = " ";
		}
	puts("'");
}

/* The next word of a command's arguments, without brackets; 0 at the end. */
static size_t next_word(const char **at, const char **word)
{
	size_t length;

	*at += strspn(*at, " []");
	*word = *at;
	length = strcspn(*at, " ]");
	*at += length;
	return length;
}

/* Options in a command's usage that are not in the table of options. */
static void print_own_options(const char *command, const char *arguments)
{
	const char *word;
	size_t length;
	int where = words_place_of(command);

	while ((length = next_word(&arguments, &word)))
		if (length > 2 && !strncmp(word, "--", 2) && !where)
			printf(" %.*s", (int)length, word);
}

static void print_options(void)
{
	puts("_mpsan_options()\n{\n\tcase $1 in");
	for (const struct command_row *command = table_commands; command->name; command++) {
		printf("\t%s) echo '--help", command->name);
		for (const struct setting_row *row = table_options; row->name; row++)
			if (row->where & words_place_of(command->name))
				printf(" --%s%s", row->name, takes_word(row) ? "=" : "");
		print_own_options(command->name, command->arguments);
		puts("' ;;");
	}
	puts("\tesac\n}");
}

/* Values of an option that is named after a table. */
static void print_value(const char *option, const char *argument)
{
	int length = (int)strcspn(argument, " ]");

	if (!length)
		return;
	if (!strncmp(argument, "NAME", length))
		printf("\t--%s) echo '%s' ;;\n", option, option);
	else
		printf("\t--%s) echo '%.*s' ;;\n", option, length, argument);
}

/* Completions of an option's value, by its argument's name in the help. */
static void print_values(void)
{
	puts("_mpsan_value()\n{\n\tcase $1 in");
	for (const struct setting_row *row = table_options; row->name; row++)
		if (row->where & ~OPT_LIB)
			print_value(row->name, row->argument + strspn(row->argument, "[="));
	for (const struct command_row *command = table_commands; command->name; command++) {
		const char *at = command->arguments, *word;
		size_t length;

		while (!words_place_of(command->name) && (length = next_word(&at, &word)))
			if (length > 2 && !strncmp(word, "--", 2) && *at == ' ' && at[1] >= 'A' &&
			    at[1] <= 'Z')
				printf("\t%.*s) echo '%.*s' ;;\n", (int)length, word,
				       (int)strcspn(at + 1, " ]"), at + 1);
	}
	puts("\tesac\n}");
}

/* Whether the word is the value of the option before it. */
static bool is_value(const char *arguments, const char *word)
{
	const char *start = word - 1;

	if (word == arguments || *start != ' ')
		return false;
	while (start > arguments && start[-1] != ' ' && start[-1] != '[')
		start--;
	return !strncmp(start, "--", 2) && start[2] != ' ';
}

/* Completions of a command's operands. */
static void print_operands(void)
{
	puts("_mpsan_operand()\n{\n\tcase $1 in");
	for (const struct command_row *command = table_commands; command->name; command++) {
		const char *at = command->arguments, *word;
		size_t length;

		printf("\t%s) echo '", command->name);
		while ((length = next_word(&at, &word))) {
			bool option = *word == '-' || !strncmp(word, "options", length);

			if (length == 2 && !strncmp(word, "--", 2))
				break; /* what follows belongs to another program */
			if (!option && !is_value(command->arguments, word))
				printf("%.*s ", (int)strcspn(word, " ]."), word);
		}
		puts("' ;;");
	}
	puts("\tesac\n}");
}

void words_tables(void)
{
	fputs("_mpsan_commands='", stdout);
	for (const struct command_row *command = table_commands; command->name; command++)
		printf("%s ", command->name);
	puts("help'");
	print_names("rules", table_rules);
	print_names("formats", table_formats);
	print_names("launchers", table_launchers);
	print_names("topics", table_topics);
	print_policies();
	print_options();
	print_values();
	print_operands();
}

/* Prints NAME:DESCRIPTION in single quotes, with colons in names escaped. */
static void print_meaning(const char *dashes, const char *name, const char *meaning)
{
	printf("\t\t'%s%s:", dashes, name);
	for (; *meaning; meaning++)
		fputs(*meaning == '\'' ? "'\\''" : (char[]){*meaning, '\0'}, stdout);
	puts("'");
}

static void print_meanings(const char *variable, const struct named_row *row)
{
	printf("\t%s=(\n", variable);
	for (; row->name; row++)
		print_meaning("", row->name, row->help);
	puts("\t)");
}

void words_descriptions(void)
{
	puts("\tcommands=(");
	for (const struct command_row *row = table_commands; row->name; row++)
		print_meaning("", row->name, row->help);
	puts("\t\t'help:the commands and topics, the options of a command, or a topic'\n\t)\n\toptions=(");
	for (const struct setting_row *row = table_options; row->name; row++)
		if (row->where & ~OPT_LIB)
			print_meaning("--", row->name, row->help);
	puts("\t)");
	print_meanings("rules", table_rules);
	print_meanings("formats", table_formats);
	print_meanings("topics", table_topics);
}

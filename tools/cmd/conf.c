/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and parses the project file .mpsan.conf. */
#include "conf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/textfile.h"

/*
 * An option's value with its file name made relative to the project file's directory. The name
 * follows the last '=' if the argument has one.
 */
static char *beside(const struct option_def *row, const char *conf, const char *value)
{
	const char *file = strchr(row->argument, '=') ? strchr(value, '=') : value;
	const char *slash = strrchr(conf, '/');

	if (!(row->where & OPT_PATH) || !slash || !file)
		return text_copy(value);
	file += file != value;
	if (*file == '/' || !strcmp(file, "-") || !strcmp(file, "stderr") || !*file)
		return text_copy(value);
	return text_format("%.*s%.*s/%s", (int)(file - value), value, (int)(slash - conf), conf,
			   file);
}

static char *conf_unknown(const struct textfile *file, const char *name, size_t length)
{
	AUTO_FREE char *near = options_suggest(name, length, OPT_COMMANDS);

	return textfile_wrong(file, name, "no such option: %.*s%s; 'mpsan list options' lists them",
			      (int)(length > 40 ? 40 : length), name, near);
}

static char *set(struct settings *settings, const struct textfile *file,
		 const struct option_def *row, char *value)
{
	char *kept = value ? beside(row, file->name, value) : NULL;
	AUTO_FREE char *wrong = NULL;

	if (kept)
		*ARRAY_ADD(&settings->texts) = kept;
	settings->is_conf = true;
	wrong = row->set(settings, kept);
	settings->is_conf = false;
	if (!wrong)
		return NULL;
	return textfile_wrong(file, value, "%s", wrong);
}

static char *conf_take_line(struct settings *settings, enum option_where where,
			    struct textfile *file)
{
	char *name = textfile_trim(file->line), *equals = strchr(name, '='), *value = NULL;
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option_def *row;

	if (!*name)
		return NULL;
	while (length && strchr(" \t", name[length - 1]))
		length--;
	row = options_find(name, length, OPT_COMMANDS);
	if (!row)
		return conf_unknown(file, name, length);
	if (row->where & OPT_LINE)
		return textfile_wrong(file, name, "%s is only allowed on the command line",
				      row->name);
	if (equals)
		value = textfile_trim(equals + 1);
	if (!option_is_optional(row) && (!value || !*value))
		return textfile_wrong(file, name + length, "missing value; expected %s = %s",
				      row->name, row->argument);
	return row->where & where ? set(settings, file, row, value) : NULL;
}

static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || !owner;
}

/* Why a file that was found, not named, is not used; NULL if it may be used. */
static const char *doubt(const char *name, const struct stat *st)
{
	struct stat link;

	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (lstat(name, &link) || !is_trusted(link.st_uid) || !is_trusted(st->st_uid))
		return "it belongs to another user";
	return st->st_mode & S_IWOTH ? "it is world-writable" : NULL;
}

static int read_file(struct settings *settings, enum option_where where, int fd)
{
	struct textfile file;
	AUTO_FREE char *wrong = textfile_read_from(&file, settings->conf, fd);
	int status = 0;

	while (!wrong && textfile_next(&file))
		wrong = conf_take_line(settings, where, &file);
	if (wrong)
		status = complain("%s", wrong);
	textfile_finish(&file);
	return status;
}

/* Whether the search ends here: the root of a repository or of a file system. */
static bool is_last(const char *directory, dev_t device)
{
	AUTO_FREE char *git = text_format("%s/.git", directory),
		       *parent = text_format("%s/..", directory);
	struct stat st, above;

	return !stat(git, &st) || !*directory || stat(parent, &above) || above.st_dev != device;
}

/* The nearest project file, which the caller frees; NULL if there is none. */
static char *conf_find(void)
{
	char directory[PATH_MAX];
	struct stat st;

	if (!filtered_may(SYS_getcwd) || !getcwd(directory, sizeof(directory)) ||
	    stat(directory, &st))
		return NULL;
	if (!strcmp(directory, "/"))
		*directory = '\0';
	for (;;) {
		char *name = text_format("%s/" CONF_NAME, directory), *slash;
		struct stat found;

		if (!lstat(name, &found))
			return name;
		free(name);
		if (is_last(directory, st.st_dev))
			return NULL;
		slash = strrchr(directory, '/');
		*slash = '\0';
	}
}

int conf_read(struct settings *settings, enum option_where where)
{
	bool is_named = settings->conf != NULL;
	const char *why = NULL;
	struct stat st;
	int fd, status;

	if (!is_named)
		settings->conf = conf_find();
	if (!settings->conf)
		return 0;
	fd = open(settings->conf, O_RDONLY | O_CLOEXEC | (is_named ? 0 : O_NONBLOCK));
	if (fd < 0 || fstat(fd, &st)) {
		status = complain("%s: %s; --no-conf ignores it", settings->conf, strerror(errno));
		if (fd >= 0)
			close(fd);
		return status;
	}
	if (!is_named)
		why = doubt(settings->conf, &st);
	status = why ? 0 : read_file(settings, where, fd);
	close(fd);
	if (why) {
		complain("%s is not used: %s; --conf %s overrides this", settings->conf, why,
			 settings->conf);
		free(settings->conf);
		settings->conf = NULL;
	}
	return status;
}

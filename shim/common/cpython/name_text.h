/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the parts of a lock's name. See name.h. */
#pragma once

#include "object.h"

/* The last part of a type's name, and the same of an object's type. */
void name_write_class(struct writer *w, const struct cpython *py, uint64_t type);
void name_write_type(struct writer *w, const struct cpython *py, uint64_t object);
/* What has a named part: a handler of logging also by its stream, if that is a standard one. */
void name_write_owner(struct writer *w, const struct cpython *py, uint64_t owner);
/* A file's name without its folders. */
void name_write_base(struct writer *w, const struct cpython *py, uint64_t file);

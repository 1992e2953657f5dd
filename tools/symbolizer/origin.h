/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a file has, by its name alone. */
#pragma once

#include <stdbool.h>

/* Whether a source file is one of Rust's standard library, as its releases are built and as they are inlined. */
bool origin_is_rust(const char *file);

/*
 * Whether a source file is one of Rust's standard library, or an installed header, of the C++ library or another one: its
 * lines say nothing about the program that they are compiled into.
 */
bool origin_is_header(const char *file);

/*
 * Whether a module is the C or C++ library, the loader or mpsan. Its addresses have no lines: they
 * say nothing about the program, and glibc's debug information takes 20 ms to read.
 */
bool origin_is_plumbing(const char *module);

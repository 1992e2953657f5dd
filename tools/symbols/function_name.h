/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions of C++ and Rust for people. Pure. Neighbours: frame.h, ../formats/text_frames.h. */
#pragma once

/*
 * The name without result, parameters and template arguments: "Registry::get" of "int Registry<int, char>::get(int) const", and
 * "app::Job::drop" of "<app::Job<T> as core::ops::drop::Drop>::drop".
 * Any other name stays as it is. The caller frees it.
 */
char *function_name_short(const char *name);

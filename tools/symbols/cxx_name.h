/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ functions for people. Pure. Neighbours: frame.h, ../formats/text_frames.h. */
#pragma once

/*
 * The name without result, parameters and template arguments: "Registry::get" of "int Registry<int, char>::get(int) const".
 * Any other name stays as it is. The caller frees it.
 */
char *cxx_name_short(const char *name);

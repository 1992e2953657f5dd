/* SPDX-License-Identifier: Apache-2.0 */
/* Text for a screen of 80 columns. */
#pragma once

#include <stdio.h>

/*
 * Prints words up to column 80; further lines begin at column `indent`, where the cursor has to be. Ends the last line.
 */
void wrap_print(FILE *out, unsigned indent, const char *text);

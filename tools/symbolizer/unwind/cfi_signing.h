/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind instructions of functions that sign their return address (aarch64, -mbranch-protection). They contain an
 * instruction that libunwind before 1.8 does not know, and stops at: DW_CFA_AARCH64_negate_ra_state. unwind.c takes the
 * signatures off by itself, so that it may be hidden. Facts: DWARF 4, 6.4; "DWARF for the Arm 64-bit architecture".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Replaces it by DW_CFA_nop in the description of a function that begins `entry` bytes behind `frames`, a part of
 * .eh_frame of `size` bytes. Stops at what it does not understand.
 */
void cfi_hide_signing(uint8_t *frames, size_t size, size_t entry);

/* Size of a value in this DWARF pointer encoding; 0 if it is variable. */
size_t cfi_encoded_bytes(uint8_t encoding);

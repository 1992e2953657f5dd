/* SPDX-License-Identifier: Apache-2.0 */
/* First in the link: data that a fork writes starts on a page of its own (hook.h, STATE). */
	.section mpsan_state, "aw", %progbits
	.balign 4096

	.section .note.GNU-stack, "", %progbits

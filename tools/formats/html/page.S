/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of the page of --report html, as they stand beside this file, inside the command: the styles and the
 * scripts each in the order of this list. Neighbour: ../out_html.c.
 */
	.section .rodata
	.globl html_page, html_page_end, html_style, html_style_end, html_script, html_script_end
	.hidden html_page, html_page_end, html_style, html_style_end, html_script, html_script_end
html_page:
	.incbin "tools/formats/html/report.html"
html_page_end:
html_style:
	.incbin "tools/formats/html/report.css"
	.incbin "tools/formats/html/story.css"
html_style_end:
html_script:
	.incbin "tools/formats/html/data.js"
	.incbin "tools/formats/html/dom.js"
	.incbin "tools/formats/html/scale.js"
	.incbin "tools/formats/html/timeline.js"
	.incbin "tools/formats/html/graph.js"
	.incbin "tools/formats/html/overview.js"
	.incbin "tools/formats/html/story.js"
	.incbin "tools/formats/html/list.js"
	.incbin "tools/formats/html/filter.js"
	.incbin "tools/formats/html/report.js"
html_script_end:
	.section .note.GNU-stack,"",@progbits

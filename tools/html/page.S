/*
 * The pieces of the page of --report html, as they stand beside this file, inside the command: the styles and the
 * scripts each in the order of this list. Neighbour: ../out_html.c.
 */
	.section .rodata
	.globl html_page, html_page_end, html_style, html_style_end, html_script, html_script_end
	.hidden html_page, html_page_end, html_style, html_style_end, html_script, html_script_end
html_page:
	.incbin "tools/html/report.html"
html_page_end:
html_style:
	.incbin "tools/html/report.css"
	.incbin "tools/html/story.css"
html_style_end:
html_script:
	.incbin "tools/html/data.js"
	.incbin "tools/html/dom.js"
	.incbin "tools/html/scale.js"
	.incbin "tools/html/timeline.js"
	.incbin "tools/html/graph.js"
	.incbin "tools/html/overview.js"
	.incbin "tools/html/story.js"
	.incbin "tools/html/list.js"
	.incbin "tools/html/filter.js"
	.incbin "tools/html/report.js"
html_script_end:
	.section .note.GNU-stack,"",@progbits

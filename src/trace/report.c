// SPDX-License-Identifier: MIT
#include "trace/report.h"

#include "trace/svg.h"

/*
 * Colours 0 to 7 are told apart by people with any kind of colour vision (after
 * Okabe and Ito, 2008); the dark set is the same, lighter.
 */
static const char style[] =
	":root{--bg:#fff;--fg:#1c1e21;--dim:#666b72;--rule:#d8dce1;--soft:#f3f5f7;--mark:#fff4d6;"
	"--c0:#0072b2;--c1:#d55e00;--c2:#999ea6;--c3:#009e73;--c4:#e0b400;--c5:#cc79a7;"
	"--c6:#56b4e9;--c7:#4b5563;--in:#fff}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e6e8eb;--dim:#9aa1aa;"
	"--rule:#343a42;--soft:#1e2329;--mark:#3a3420;--c0:#4aa8e0;--c1:#f08a3c;--c2:#5d646e;"
	"--c3:#2cc295;--c4:#f0d050;--c5:#e59cc3;--c6:#8fd0f5;--c7:#b8c0cc;--in:#15181c}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:72rem;background:var(--bg);"
	"color:var(--fg);font:16px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0 1rem}\n"
	"h2{font-size:1.2rem;margin:2.2rem 0 .4rem}\n"
	"p{max-width:46rem;margin:.5rem 0}\n"
	".lead{font-size:1.15rem;max-width:none}a{color:var(--c0)}\n"
	".numbers{display:flex;flex-wrap:wrap;gap:.8rem 2.5rem;margin:1rem 0}\n"
	".numbers strong{display:block;font-size:2rem;line-height:1.2}\n"
	".numbers span{color:var(--dim);font-size:.9rem}\n"
	"h3{font-size:1rem;margin:1rem 0 0}\n"
	".notice{border-left:4px solid var(--c4);background:var(--soft);padding:.6rem .9rem}\n"
	".wide{overflow-x:auto;margin:.8rem 0;"
	"background:linear-gradient(to right,var(--bg) 30%,transparent),"
	"linear-gradient(to left,var(--bg) 30%,transparent) 100% 0,linear-gradient(to right,"
	"var(--rule),"
	"transparent),linear-gradient(to left,var(--rule),transparent) 100% 0;"
	"background-size:2rem 100%,2rem 100%,.6rem 100%,.6rem 100%;"
	"background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}\n"
	"svg{display:block;width:100%;min-width:44rem;height:auto}\n"
	"svg text{fill:var(--fg);font:12px system-ui,sans-serif}\n"
	"svg .dim{fill:var(--dim)}svg .name{font-weight:600}"
	"svg .name,svg .dim,svg .bold{paint-order:stroke;stroke:var(--bg);"
	"stroke-width:5px;stroke-linejoin:round}\n"
	"svg .grid{stroke:var(--rule)}svg .axis{stroke:var(--dim)}svg .zero{stroke:var(--fg);"
	"stroke-dasharray:3 3}\n"
	"svg .lane{fill:var(--soft)}svg .in{fill:var(--in);pointer-events:none}\n"
	"svg .i4,svg .i5,svg .i6{fill:#15181c}\n"
	"svg .arrow{fill:none;stroke:var(--fg);stroke-width:1.6}svg .head{fill:var(--fg)}\n"
	"svg .curve{fill:none;stroke-width:1.8}svg .marked{stroke-width:6}\n"
	"svg .dot{stroke:var(--bg);stroke-width:1.5}svg .ring{fill:none;stroke:var(--fg);"
	"stroke-width:2}svg .bold{font-weight:600}\n"
	".f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}"
	".f4{fill:var(--c4)}.f5{fill:var(--c5)}.f6{fill:var(--c6)}.f7{fill:var(--c7)}\n"
	".s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}"
	".s4{stroke:var(--c4)}.s5{stroke:var(--c5)}.s6{stroke:var(--c6)}.s7{stroke:var(--c7)}\n"
	".d1{stroke-dasharray:7 4}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:8 3 2 3}\n"
	"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
	"th{text-align:left;font-weight:600;border-bottom:2px solid var(--rule)}\n"
	"td,th{padding:.25rem .7rem .25rem 0;white-space:nowrap}\n"
	"td{border-bottom:1px solid var(--rule)}\n"
	".n{text-align:right}tr.marked td{background:var(--mark)}\n"
	".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem;margin:.3rem 0}\n"
	".legend span{display:inline-flex;align-items:center;gap:.4rem}\n"
	".legend svg{width:28px;min-width:0;height:12px}\n";

void trace_report_begin(FILE *out, const char *title, const char *notice)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>", out);
	trace_html_text(out, title);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
	trace_html_text(out, title);
	fputs("</h1>\n", out);
	if (notice)
		trace_report_notice(out, notice);
}

static void element_of(FILE *out, const char *tag, const char *class, const char *text)
{
	fprintf(out, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "",
		class ? "\"" : "");
	trace_html_text(out, text);
	fprintf(out, "</%s>\n", tag);
}

void trace_report_heading(FILE *out, const char *text)
{
	element_of(out, "h2", NULL, text);
}

void trace_report_paragraph(FILE *out, const char *text)
{
	element_of(out, "p", NULL, text);
}

void trace_report_notice(FILE *out, const char *text)
{
	element_of(out, "p", "notice", text);
}

void trace_report_lead(FILE *out, const char *text)
{
	element_of(out, "p", "lead", text);
}

void trace_report_file(FILE *out, const char *name, const char *text)
{
	fputs("<p><a href=\"", out);
	trace_html_text(out, name);
	fputs("\">", out);
	trace_html_text(out, name);
	fputs("</a>: ", out);
	trace_html_text(out, text);
	fputs("</p>\n", out);
}

void trace_report_numbers(FILE *out, const struct trace_report_number *numbers, u32 nr)
{
	fputs("<div class=\"numbers\">\n", out);
	for (u32 i = 0; i < nr; i++) {
		fputs("<div>", out);
		element_of(out, "strong", NULL, numbers[i].value);
		element_of(out, "span", NULL, numbers[i].label);
		fputs("</div>\n", out);
	}
	fputs("</div>\n", out);
}

void trace_report_end(FILE *out)
{
	fputs("</body>\n</html>\n", out);
}

static void table_cell(FILE *out, const char *tag, bool is_number, const char *text)
{
	fprintf(out, "<%s%s>", tag, is_number ? " class=\"n\"" : "");
	trace_html_text(out, text);
	fprintf(out, "</%s>", tag);
}

void trace_report_table(FILE *out, const struct trace_report_table *t)
{
	fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
	for (u32 c = 0; c < t->nr_columns; c++)
		table_cell(out, "th", c >= t->nr_left, t->headers[c]);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (u32 r = 0; r < t->nr_rows; r++) {
		fputs(r == t->marked_row ? "<tr class=\"marked\">" : "<tr>", out);
		for (u32 c = 0; c < t->nr_columns; c++)
			table_cell(out, "td", c >= t->nr_left, t->cell(t->data, r, c));
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

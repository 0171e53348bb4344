// SPDX-License-Identifier: MIT
/*
 * disasm ARCH FILE: the instructions of a file of machine code, a line each, as
 * LLVM's disassembler writes them; a word that is none is left out.
 * disasm ARCH: two words (hex) a line from standard input; the instruction, or "-".
 */
#include "isa/inst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u32 show(u32 arch, const u32 *word, bool has_two, const char *none)
{
	struct isa_inst inst;
	char text[256];

	if (isa_decode(arch, word, has_two, &inst)) {
		fputs(none, stdout);
		return 1;
	}
	isa_text(arch, &inst, text, sizeof(text));
	puts(text);
	return inst.len;
}

static int whole_file(u32 arch, const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t n, at;
	u32 *words;

	if (!f)
		return 2;
	fseek(f, 0, SEEK_END);
	n = (size_t)ftell(f) / 4;
	rewind(f);
	words = calloc(n + 2, 4);
	n = fread(words, 4, n, f);
	fclose(f);
	for (at = 0; at < n;)
		at += show(arch, words + at, at + 1 < n, "");
	free(words);
	return 0;
}

int main(int argc, char **argv)
{
	u32 arch = argc > 1 && !strcmp(argv[1], "gfx942");
	u32 word[2];

	if (argc > 2)
		return whole_file(arch, argv[2]);
	while (scanf("%x %x", &word[0], &word[1]) == 2)
		show(arch, word, true, "-\n");
	return 0;
}

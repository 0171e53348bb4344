// SPDX-License-Identifier: MIT
#include "kit/kit_code.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct kit_object *kit_object_find(const char *arch)
{
	for (const struct kit_object *o = kit_objects; o->arch; o++)
		if (!strcmp(o->arch, arch))
			return o;
	return NULL;
}

/* A part of the file, or NULL if the file is too short for it. */
static const void *part(const struct kit_code *c, u64 at, u64 bytes)
{
	return at <= c->file_bytes && bytes <= c->file_bytes - at ? c->file + at : NULL;
}

static const Elf64_Phdr *segments(const struct kit_code *c, u32 *nr)
{
	const Elf64_Ehdr *h = part(c, 0, sizeof(*h));

	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	*nr = h->e_phnum;
	return part(c, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr));
}

int kit_code_load(struct kit_gpu *gpu, const struct kit_object *object, struct kit_code *code)
{
	const Elf64_Phdr *p;
	u64 bytes = 0;
	u32 nr = 0;
	int ret;

	*code = (struct kit_code){ .file = object->bytes, .file_bytes = object->nr_bytes };
	p = segments(code, &nr);
	for (u32 i = 0; p && i < nr; i++) {
		if (p[i].p_type != PT_LOAD)
			continue;
		if (!part(code, p[i].p_offset, p[i].p_filesz) || p[i].p_filesz > p[i].p_memsz)
			return -ENOEXEC;
		bytes = max(bytes, (u64)(p[i].p_vaddr + p[i].p_memsz));
	}
	if (!bytes)
		return -ENOEXEC;
	ret = kit_gpu_alloc(gpu, bytes, &code->at);
	for (u32 i = 0; !ret && i < nr; i++)
		if (p[i].p_type == PT_LOAD)
			memcpy(code->at + p[i].p_vaddr, code->file + p[i].p_offset, p[i].p_filesz);
	return ret;
}

/* Address in the object, 0: not in this table. */
static u64 look_up(const struct kit_code *c, const Elf64_Shdr *sections, const Elf64_Shdr *table,
		   const char *want)
{
	const char *names = part(c, sections[table->sh_link].sh_offset,
				 sections[table->sh_link].sh_size);
	const Elf64_Sym *sym = part(c, table->sh_offset, table->sh_size);

	for (u64 i = 0; names && sym && i < table->sh_size / sizeof(*sym); i++)
		if (sym[i].st_name < sections[table->sh_link].sh_size &&
		    !strcmp(names + sym[i].st_name, want))
			return sym[i].st_value;
	return 0;
}

u64 kit_code_find(const struct kit_code *code, const char *kernel)
{
	const Elf64_Ehdr *h = part(code, 0, sizeof(*h));
	const Elf64_Shdr *s = part(code, h->e_shoff, h->e_shnum * sizeof(*s));
	u64 at = 0;
	char want[64];

	snprintf(want, sizeof(want), "%s.kd", kernel);
	for (u32 i = 0; s && i < h->e_shnum && !at; i++)
		if (s[i].sh_type == SHT_DYNSYM && s[i].sh_link < h->e_shnum)
			at = look_up(code, s, &s[i], want);
	return at ? (uintptr_t)code->at + at : 0;
}

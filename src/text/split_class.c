#include "text/split_class.h"

#include <string.h>

/* Characters later than Unicode 14, from the Unicode character database 16. */
#define NEW_LU "\\x{1c89}\\x{a7cb}\\x{a7cc}\\x{a7da}\\x{a7dc}\\x{10d50}-\\x{10d65}"
#define NEW_LL "\\x{1c8a}\\x{a7cd}\\x{a7db}\\x{10d70}-\\x{10d85}\\x{1df25}-\\x{1df2a}"
#define NEW_LM                                                                                     \
	"\\x{10d4e}\\x{10d6f}\\x{16d40}-\\x{16d42}\\x{16d6b}\\x{16d6c}\\x{1e030}-\\x{1e06d}"       \
	"\\x{1e4eb}"
#define NEW_LO                                                                                     \
	"\\x{105c0}-\\x{105f3}\\x{10d4a}-\\x{10d4d}\\x{10d4f}\\x{10ec2}-\\x{10ec4}\\x{1123f}"      \
	"\\x{11240}\\x{11380}-\\x{11389}\\x{1138b}\\x{1138e}\\x{11390}-\\x{113b5}\\x{113b7}"       \
	"\\x{113d1}\\x{113d3}\\x{11bc0}-\\x{11be0}\\x{11f02}\\x{11f04}-\\x{11f10}"                 \
	"\\x{11f12}-\\x{11f33}\\x{1342f}\\x{13441}-\\x{13446}\\x{13460}-\\x{143fa}"                \
	"\\x{16100}-\\x{1611d}\\x{16d43}-\\x{16d6a}\\x{18cff}\\x{1b132}\\x{1b155}"                 \
	"\\x{1e4d0}-\\x{1e4ea}\\x{1e5d0}-\\x{1e5ed}\\x{1e5f0}\\x{2b739}\\x{2ebf0}-\\x{2ee5d}"      \
	"\\x{31350}-\\x{323af}"
#define NEW_ND                                                                                     \
	"\\x{10d40}-\\x{10d49}\\x{116d0}-\\x{116e3}\\x{11bf0}-\\x{11bf9}\\x{11f50}-\\x{11f59}"     \
	"\\x{16130}-\\x{16139}\\x{16d70}-\\x{16d79}\\x{1ccf0}-\\x{1ccf9}\\x{1e4f0}-\\x{1e4f9}"     \
	"\\x{1e5f1}-\\x{1e5fa}"
#define NEW_NO "\\x{1d2c0}-\\x{1d2d3}"
#define NEW_M                                                                                      \
	"\\x{897}\\x{cf3}\\x{ece}\\x{10d69}-\\x{10d6d}\\x{10efc}-\\x{10eff}\\x{11241}"             \
	"\\x{113b8}-\\x{113c0}\\x{113c2}\\x{113c5}\\x{113c7}-\\x{113ca}\\x{113cc}-\\x{113d0}"      \
	"\\x{113d2}\\x{113e1}\\x{113e2}\\x{11f00}\\x{11f01}\\x{11f03}\\x{11f34}-\\x{11f3a}"        \
	"\\x{11f3e}-\\x{11f42}\\x{11f5a}\\x{13440}\\x{13447}-\\x{13455}\\x{1611e}-\\x{1612f}"      \
	"\\x{1e08f}\\x{1e4ec}-\\x{1e4ef}\\x{1e5ee}\\x{1e5ef}"
#define NEW_P                                                                                      \
	"\\x{1b4e}\\x{1b4f}\\x{1b7f}\\x{10d6e}\\x{113d4}\\x{113d5}\\x{113d7}\\x{113d8}"            \
	"\\x{11b00}-\\x{11b09}\\x{11be1}\\x{11f43}-\\x{11f4f}\\x{16d6d}-\\x{16d6f}\\x{1e5ff}"
#define NEW_S                                                                                      \
	"\\x{2427}-\\x{2429}\\x{2ffc}-\\x{2fff}\\x{31e4}\\x{31e5}\\x{31ef}\\x{10d8e}\\x{10d8f}"    \
	"\\x{1cc00}-\\x{1ccef}\\x{1cd00}-\\x{1ceb3}\\x{1f6dc}\\x{1f774}-\\x{1f776}"                \
	"\\x{1f77b}-\\x{1f77f}\\x{1f7d9}\\x{1f8b2}-\\x{1f8bb}\\x{1f8c0}\\x{1f8c1}"                 \
	"\\x{1fa75}-\\x{1fa77}\\x{1fa87}-\\x{1fa89}\\x{1fa8f}\\x{1faad}-\\x{1faaf}"                \
	"\\x{1fabb}-\\x{1fabf}\\x{1fac6}\\x{1face}\\x{1facf}\\x{1fada}-\\x{1fadc}\\x{1fadf}"       \
	"\\x{1fae8}\\x{1fae9}\\x{1faf7}\\x{1faf8}\\x{1fbcb}-\\x{1fbef}"
#define NEW_L NEW_LU NEW_LL NEW_LM NEW_LO

const char split_class_numeric[] =
	"[\\p{N}" NEW_ND NEW_NO "\\x{11de0}-\\x{11de9}\\x{16ff4}-\\x{16ff6}]";

/* The text between brackets that a class stands for.  \s: in PCRE2 also U+180E.
 * \w: alphabetic characters, marks, decimal digits and connectors (UTS #18, annex C). */
static const struct class
{
	const char *name, *text;
} classes[] = {
	{"s", "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"
	      "\\x{205f}\\x{3000}"},
	{"d", "\\p{Nd}" NEW_ND},
	{"h", "0-9A-Fa-f"},
	{"w", "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}"
	      "\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}" NEW_L NEW_M NEW_ND},
	{"L", "\\p{L}" NEW_L},
	{"Lu", "\\p{Lu}" NEW_LU},
	{"Ll", "\\p{Ll}" NEW_LL},
	{"Lm", "\\p{Lm}" NEW_LM},
	{"Lo", "\\p{Lo}" NEW_LO},
	{"N", "\\p{N}" NEW_ND NEW_NO},
	{"Nd", "\\p{Nd}" NEW_ND},
	{"No", "\\p{No}" NEW_NO},
	{"M", "\\p{M}" NEW_M},
	{"P", "\\p{P}" NEW_P},
	{"S", "\\p{S}" NEW_S},
};

static const struct class *find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
		if (strlen(classes[i].name) == len && !strncmp(classes[i].name, name, len))
			return &classes[i];
	}
	return NULL;
}

/* The class that the escape at p (behind its backslash) stands for, whether it is
 * negated, and the escape's length; NULL: no class of ours. */
static const struct class *read_escape(const char *p, int *negated, size_t *len)
{
	const char *end, *name = p + 2;
	char lower = (char)(*p | 0x20);

	*len = 1;
	*negated = *p != lower;
	if (lower != 'p')
		return *p && strchr("sdhwSDHW", *p) ? find(&lower, 1) : NULL;
	if (p[1] != '{') {
		*len = 2;
		return p[1] ? find(p + 1, 1) : NULL;
	}
	end = strchr(p, '}');
	if (!end)
		return NULL;
	if (*name == '^') {
		*negated = !*negated;
		name++;
	}
	*len = (size_t)(end - p) + 1;
	return find(name, (size_t)(end - name));
}

void split_class_pattern(const char *pattern, struct buf *out)
{
	int in_class = 0;

	for (const char *p = pattern; *p; p++) {
		const struct class *class;
		int negated;
		size_t len;

		if (*p == '\\' && p[1]) {
			class = read_escape(++p, &negated, &len);
			if (!class || (negated && in_class)) {
				buf_addf(out, "\\%c", *p);
				continue;
			}
			if (in_class)
				buf_adds(out, class->text);
			else
				buf_addf(out, "[%s%s]", negated ? "^" : "", class->text);
			p += len - 1;
			continue;
		}
		if (*p == '[')
			in_class++;
		else if (*p == ']' && in_class)
			in_class--;
		buf_addc(out, *p);
	}
}

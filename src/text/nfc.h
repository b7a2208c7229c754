/* nfc.h - Unicode normalization forms C and D (Unicode standard, annex 15). */
#ifndef TEXT_NFC_H
#define TEXT_NFC_H

#include <stddef.h>
#include "base/mem.h"

struct nfc;

struct nfc *nfc_new(void);
void nfc_free(struct nfc *n);

/* Appends text (valid UTF-8) in form C, or D where not compose.  Linear in len but for
 * sorting the marks on a character. */
void nfc_run(struct nfc *n, const char *text, size_t len, int compose, struct buf *out);

#endif

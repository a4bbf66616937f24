/* The format of --env-file, apart from reading the file, so that tests and the fuzzer reach it. */
#ifndef SBX_POLICY_ENV_FILE_H
#define SBX_POLICY_ENV_FILE_H

#include <stddef.h>

#include "../base/err.h"
#include "../base/str.h"

/*
 * Append the NAME=VALUE entries of text[0..len) to out, in order, duplicates included. where names
 * the file in messages. Errors: ERR_USAGE "WHERE:LINE: …", never with a part of the line.
 */
int env_file_parse(const char *text, size_t len, const char *where, struct strv *out,
		   struct err *e);
int env_file_load(const char *root, const char *path, struct strv *out, struct err *e);

#endif

/*
 * Files of this folder that are embedded into the binary (scripts, profiles):
 * embed.sh writes the table at build time. Must hold no secret and nothing of the machine
 * it was built on. `sbx --show-asset NAME` prints one, so that nothing is hidden in the binary.
 */
#ifndef SBX_ASSETS_H
#define SBX_ASSETS_H

#include <stddef.h>

struct asset {
	const char *name;          /* file name, without the folder */
	const unsigned char *data; /* size_bytes bytes, then a 0 that is not counted */
	size_t size_bytes;
};

/* Ends with an entry whose name is NULL; static storage. */
extern const struct asset asset_table[];

#endif

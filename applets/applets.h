/* What main() and the applets know of each other. */
#ifndef SBX_APPLETS_APPLETS_H
#define SBX_APPLETS_APPLETS_H

#include "../lib/base/err.h"

/*
 * An applet: argv[0] is its name. Returns the exit status, or -1 with e: main() prints e once and
 * exits with its status. Only main() prints errors.
 */
#define APPLET(name, what) int name##_main(int argc, char **argv, char **envp, struct err *e);
#define HIDDEN APPLET
#include "applets.def"
#undef APPLET
#undef HIDDEN

#endif

/* Applets whose work is not in this version: they say so and do nothing. */
#include "applets.h"

int bridge_main(int argc, char **argv, char **envp, struct err *e)
{
	(void)argc, (void)argv, (void)envp;
	return err_set(
	    e, ERR_REFUSED, "not built yet: this version of sbx has sbx-run and sbx-probe");
}

int mcp_main(int argc, char **argv, char **envp, struct err *e)
{
	(void)argc, (void)argv, (void)envp;
	return err_set(
	    e, ERR_REFUSED, "not built yet: this version of sbx has sbx-run and sbx-probe");
}

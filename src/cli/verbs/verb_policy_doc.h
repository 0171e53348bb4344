/* SPDX-License-Identifier: MIT */
#ifndef GP_CLI_POLICY_DOC_H
#define GP_CLI_POLICY_DOC_H

/* What a policy does, in a line; "" for one that this command does not know. */
const char *cli_policy_doc(const char *name);

#endif

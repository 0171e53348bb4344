// SPDX-License-Identifier: MIT
/*
 * The database of rocprofv3 (rocpd, its default format since ROCm 7): the view "kernels". What a
 * file defines as a view may do anything that SQL can: nothing is written, nothing loaded, and a
 * budget of steps ends what does not end.
 */
#include "cli/import/cli_import.h"

#include <errno.h>

#ifdef GP_HAVE_SQLITE
#include <sqlite3.h>

#define STEPS_PER_CALL 100000
#define MAX_CALLS 100000

#define COLUMNS \
	"start, \"end\", grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z, lds_size"

/* Older views have no registers; the last two columns are then 0. */
static const char *const queries[] = {
	"SELECT " COLUMNS ", agent_abs_index, vgpr_count, accum_vgpr_count FROM kernels",
	"SELECT " COLUMNS ", agent_abs_index, 0, 0 FROM kernels",
	"SELECT " COLUMNS ", 0, 0, 0 FROM kernels",
};

static int count_calls(void *data)
{
	return ++*(u32 *)data > MAX_CALLS;
}

static u64 column(sqlite3_stmt *s, int i)
{
	sqlite3_int64 v = sqlite3_column_int64(s, i);

	return v > 0 ? (u64)v : 0;
}

static int add_row(struct cli_import *t, sqlite3_stmt *s, struct cli_import_error *e)
{
	char agent[48];
	struct cli_import_row row = {
		.start_ns = column(s, 0),
		.end_ns = column(s, 1),
		.grid = { column(s, 2), column(s, 3), column(s, 4) },
		.workgroup = { column(s, 5), column(s, 6), column(s, 7) },
		.lds_bytes = column(s, 8),
		.vgprs = column(s, 10),
		.accum_vgprs = column(s, 11),
		.agent = agent,
	};

	snprintf(agent, sizeof(agent), "agent %llu", (unsigned long long)column(s, 9));
	return cli_import_add(t, &row, e);
}

static int read_rows(struct cli_import *t, sqlite3 *db, struct cli_import_error *e)
{
	sqlite3_stmt *s = NULL;
	int ret = SQLITE_ERROR, err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(queries) && ret != SQLITE_OK; i++)
		ret = sqlite3_prepare_v2(db, queries[i], -1, &s, NULL);
	if (ret != SQLITE_OK)
		return cli_import_fail(e, "not a database of rocprofv3: %s", sqlite3_errmsg(db));
	while (!err && (ret = sqlite3_step(s)) == SQLITE_ROW)
		err = add_row(t, s, e);
	if (!err && ret != SQLITE_DONE)
		err = cli_import_fail(e, "%s", sqlite3_errmsg(db));
	sqlite3_finalize(s);
	return err;
}

int cli_import_sqlite(struct cli_import *t, const char *path, struct cli_import_error *e)
{
	sqlite3 *db = NULL;
	u32 calls = 0;
	int err;

	t->format = "rocprofv3, SQLite";
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		err = cli_import_fail(e, "%s", db ? sqlite3_errmsg(db) : "out of memory");
	} else {
		sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_progress_handler(db, STEPS_PER_CALL, count_calls, &calls);
		err = read_rows(t, db, e);
	}
	sqlite3_close(db);
	return err;
}
#else
int cli_import_sqlite(struct cli_import *t, const char *path, struct cli_import_error *e)
{
	return cli_import_fail(e, "this command was built without SQLite; 'rocpd convert -i "
				  "FILE -f "
				  "csv' makes a table of it");
}
#endif

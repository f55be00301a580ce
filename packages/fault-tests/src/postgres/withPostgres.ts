/**
 * Runs on a real PostgreSQL, or says what this machine lacks.
 */
import { hasPostgres } from "@mailkeep/test-support/postgres"
import type { FaultRun } from "../FaultRun.ts"

/** Does the run, or skips it when the machine lacks PostgreSQL. With `CI=true`, that is a failure. */
export const withPostgres = async (run: () => Promise<FaultRun>): Promise<FaultRun> =>
  hasPostgres() ? run() : { counts: {}, failures: [], skipped: "This machine lacks PostgreSQL." }

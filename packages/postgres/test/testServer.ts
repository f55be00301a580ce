/**
 * The server for the tests of one process. The store refuses a server that does not sync its commits.
 */
export { sharedPostgres as testServer } from "@mailkeep/test-support/postgres"

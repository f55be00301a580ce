/**
 * The store in a PostgreSQL database. Many processes on many machines can share it.
 */
export * as PostgresMailStore from "./PostgresMailStore.ts"

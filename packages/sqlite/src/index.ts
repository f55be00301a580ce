/** The SQLite store. */
export * as SqliteMailStore from "./SqliteMailStore.ts"

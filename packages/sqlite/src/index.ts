/**
 * The store in one SQLite file. Several processes can share the file.
 *
 * @example
 * ```ts
 * import { MailStore } from "@mailkeep/core"
 * import { SqliteMailStore } from "@mailkeep/sqlite"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(MailStore, (store) => store.capabilities.durable)
 * console.log(await Effect.runPromise(Effect.provide(program, SqliteMailStore.layer({ filename: "mail.db" })))) // true
 * ```
 */
export * as SqliteMailStore from "./SqliteMailStore.ts"

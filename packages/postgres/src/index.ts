/**
 * The store in a PostgreSQL database. Many processes on many machines can share it.
 *
 * @example
 * ```ts no-run It needs a server.
 * import { MailStore } from "@mailkeep/core"
 * import { PostgresMailStore } from "@mailkeep/postgres"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(MailStore, (store) => store.capabilities.multiProcess)
 * const layer = PostgresMailStore.layer({ connectionString: "postgres://mail@localhost/product" })
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // true
 * ```
 */
export * as PostgresMailStore from "./PostgresMailStore.ts"
export * as sharedServices from "./sharedServices.ts"

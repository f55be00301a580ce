/**
 * The PostgreSQL store of a run, and its copy as a file, for which every check of the other runs exists.
 */
import { moveStore } from "@mailkeep/core/move"
import * as NodeCrypto from "@mailkeep/core/node"
import { PostgresMailStore, sharedServices } from "@mailkeep/postgres"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect } from "effect"
import type { StoreLayer } from "../embeddedMail.ts"

/**
 * The store as a product with several processes uses it: with the clock of the server, shared rate limits and notifications. `listen` is the URL
 * without a pooler.
 */
export const sharedStore = (url: string, listen = url): StoreLayer =>
  sharedServices.layer({ connectionString: url, listen })

/** The store in a database, for a process with a clock of its own. */
export const databaseStore = (url: string): StoreLayer => PostgresMailStore.layer({ connectionString: url })

/** Copies all records of the database into a new file. No worker uses the database meanwhile. */
export const copyToFile = (url: string, filename: string): Promise<unknown> =>
  Effect.gen(function* () {
    const from = yield* PostgresMailStore.make({ connectionString: url })
    const to = yield* SqliteMailStore.make({ filename, commitThread: "caller" })
    // The leases of killed workers can still be live.
    return yield* moveStore(from, to, { force: true })
  }).pipe(Effect.scoped, Effect.provide(NodeCrypto.layer), Effect.runPromise)

/**
 * The store of a location.
 */
import type { MailStore, StoreNotOpened } from "@mailkeep/core"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer, Redacted } from "effect"
import type { StoreLocation } from "./storeLocation.ts"

/**
 * Opens a store until the scope closes. Loads the adapter of PostgreSQL only for its URL. This adapter also provides the clock of its server and the
 * rate limits. `commitThread` is for a file.
 */
export const storeLayer = (
  location: StoreLocation,
  commitThread: "worker" | "caller"
): Layer.Layer<MailStore, StoreNotOpened> =>
  location.kind === "sqlite"
    ? SqliteMailStore.layer({ filename: location.filename, commitThread })
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@mailkeep/postgres")),
          ({ sharedServices }) =>
            sharedServices.layer({ ...location.options, connectionString: Redacted.value(location.url) })
        )
      )

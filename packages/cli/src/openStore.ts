/**
 * Opens the store of a location.
 */
import type { MailStore, StoreNotOpened } from "@mailkeep/core"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import type { StoreLocation } from "./storeLocation.ts"

/** Opens a store until the scope closes. Loads only the adapter of the location. */
export const openStore = (location: StoreLocation): Effect.Effect<MailStore["Service"], StoreNotOpened, Scope.Scope> =>
  location.kind === "sqlite"
    ? Effect.flatMap(
        Effect.promise(() => import("@mailkeep/sqlite")),
        ({ SqliteMailStore }) => SqliteMailStore.make({ filename: location.filename })
      )
    : Effect.flatMap(
        Effect.promise(() => import("@mailkeep/postgres")),
        ({ PostgresMailStore }) => PostgresMailStore.make({ connectionString: Redacted.value(location.url) })
      )

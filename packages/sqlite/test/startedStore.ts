/**
 * A store whose commits run on the commit thread from the first one. Without the wait, the first commits would run on the caller's thread.
 */
import { MailStore } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import type { SqliteOptions } from "../src/SqliteMailStore.ts"
import { SqliteMailStore } from "../src/index.ts"

export const makeStarted = (options: SqliteOptions) =>
  Effect.tap(SqliteMailStore.make(options), ({ commitThreadStarted }) => commitThreadStarted)

export const layerStarted = (options: SqliteOptions) => Layer.effect(MailStore, makeStarted(options))

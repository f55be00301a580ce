/**
 * Compares the services over PostgreSQL with the model that they follow over the other stores.
 */
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { followsModel } from "../../core/test/service/message/sendingCommands.ts"
import { place } from "./storeUnderTest.ts"

const store = { name: "postgres", layer: Layer.unwrap(Effect.map(place, ({ layer }) => layer)) }

describe.skipIf(!hasPostgres())("a random sequence of commands, over PostgreSQL", () => {
  it("gives the same results as the model", { timeout: 120_000 }, () =>
    followsModel(store, Number(process.env["MODEL_RUNS"] ?? 20))
  )
})

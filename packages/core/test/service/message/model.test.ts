/**
 * Compares the services with a small model in random sequences of commands, over every store in the process.
 */
import { stores } from "@mailkeep/test-support"
import { describe, it } from "vitest"
import { followsModel } from "./sendingCommands.ts"

describe.each(stores)("a random sequence of commands, over $name", (store) => {
  it("gives the same results as the model", { timeout: 120_000 }, () =>
    followsModel(store, Number(process.env["MODEL_RUNS"] ?? 60))
  )
})

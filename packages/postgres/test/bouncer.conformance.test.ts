import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { describe } from "vitest"
import { placeThroughBouncer } from "./storeUnderTest.ts"

describe.skipIf(!hasPostgres())("the store behind pgbouncer", () => {
  conforms("postgres through pgbouncer", storeLaws, { place: placeThroughBouncer, runs: 20 })
})

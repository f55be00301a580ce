import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { describe } from "vitest"
import { place } from "./joinedTransactionUnderTest.ts"

describe.skipIf(!hasPostgres())("PostgreSQL", () => {
  conforms("postgres in transactions of the product", storeLaws, { place, runs: 10 })
})

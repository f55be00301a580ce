import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { describe } from "vitest"
import { placeWithPartitions } from "./partitionsUnderTest.ts"

describe.skipIf(!hasPostgres())("PostgreSQL with partitions", () => {
  conforms("postgres with partitions", storeLaws, { place: placeWithPartitions, runs: 10 })
})

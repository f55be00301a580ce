import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { describe } from "vitest"
import { place } from "./bouncerUnderTest.ts"

describe.skipIf(!hasPostgres())(
  "the store behind pgbouncer, with partitions, for a role that may only read and write",
  () => {
    conforms("postgres through pgbouncer, with partitions", storeLaws, { place, runs: 20 })
  }
)

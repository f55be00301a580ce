import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { placeThroughBouncer } from "./storeUnderTest.ts"

conforms("postgres through pgbouncer", storeLaws, { place: placeThroughBouncer, runs: 20 })

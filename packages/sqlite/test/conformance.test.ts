import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { place } from "./storeUnderTest.ts"

// A script needs two threads here, so that `callerThread.conformance.test.ts` runs more of them.
conforms("sqlite", storeLaws, { place, runs: 10 })

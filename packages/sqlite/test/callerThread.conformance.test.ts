import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { place } from "./callerThreadUnderTest.ts"

conforms("sqlite with commits on the caller's thread", storeLaws, { place, runs: 50 })

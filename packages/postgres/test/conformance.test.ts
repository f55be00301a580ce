import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { place } from "./storeUnderTest.ts"

conforms("postgres", storeLaws, { place })

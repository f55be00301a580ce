import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { place } from "./joinedTransactionUnderTest.ts"

conforms("sqlite in transactions of the product", storeLaws, { place, runs: 30 })

import { limiterLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { describe } from "vitest"
import { sharedLimiter } from "./limiterUnderTest.ts"

describe.skipIf(!hasPostgres())("the rate limiter", () => {
  conforms("the limiter of postgres", limiterLaws, sharedLimiter)
})

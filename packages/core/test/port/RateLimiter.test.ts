import { limiterLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { Effect } from "effect"
import { RateLimiter } from "../../src/adapter.ts"

conforms("the limiter in the process", limiterLaws, {
  limiter: Effect.succeed(RateLimiter.layerInProcess),
  shared: false
})

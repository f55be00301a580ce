import { sinkLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { sink } from "./subscriberHarness.ts"

conforms("the webhook sink", sinkLaws, { sink })

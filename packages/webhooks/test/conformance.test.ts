import { sinkLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { bench } from "./subscriberHarness.ts"

conforms("the webhook sink", sinkLaws, { bench })

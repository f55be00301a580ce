import { transportLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { stubBench } from "./stubBench.ts"

conforms("the stub as the recipient's own server", transportLaws, { bench: stubBench() })

conforms("the stub as a relay that drops duplicates", transportLaws, {
  bench: stubBench({ confirmsDelivery: false, idempotentHandOff: true })
})

conforms("the stub as a relay that cannot signal finalizing", transportLaws, {
  bench: stubBench({ confirmsDelivery: false, signalsFinalize: false })
})

import { transportLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { stubWithRelay } from "./stubWithRelay.ts"

conforms("the stub as the recipient's own server", transportLaws, { transport: stubWithRelay() })

conforms("the stub as a relay that drops duplicates", transportLaws, {
  transport: stubWithRelay({ confirmsDelivery: false, idempotentHandOff: true })
})

conforms("the stub as a relay that cannot signal finalizing", transportLaws, {
  transport: stubWithRelay({ confirmsDelivery: false, signalsFinalize: false })
})

import { transportLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { smtpWithRelay } from "./smtpWithRelay.ts"
import { testCertificate } from "./testCertificate.ts"

conforms("the SMTP transport, one command at a time", transportLaws, { transport: smtpWithRelay() })

conforms("the SMTP transport with pipelining to the recipient's own server", transportLaws, {
  transport: smtpWithRelay(
    { keywords: ["PIPELINING", "SIZE 1000000", "DSN", "SMTPUTF8"] },
    { confirmsDelivery: true, smtpUtf8: true }
  )
})

conforms("the SMTP transport with STARTTLS", transportLaws, {
  transport: smtpWithRelay(
    { keywords: ["STARTTLS", "PIPELINING"] },
    { tls: "required", certificate: { ca: testCertificate } }
  )
})

import { transportLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { smtpBench } from "./smtpBench.ts"
import { testCertificate } from "./testCertificate.ts"

conforms("the SMTP transport, one command at a time", transportLaws, { bench: smtpBench() })

conforms("the SMTP transport with pipelining to the recipient's own server", transportLaws, {
  bench: smtpBench(
    { keywords: ["PIPELINING", "SIZE 1000000", "DSN", "SMTPUTF8"] },
    { confirmsDelivery: true, smtpUtf8: true }
  )
})

conforms("the SMTP transport with STARTTLS", transportLaws, {
  bench: smtpBench({ keywords: ["STARTTLS", "PIPELINING"] }, { tls: "required", certificate: { ca: testCertificate } })
})

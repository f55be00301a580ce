/**
 * The transport under test: `SmtpTransport` to a relay on the loopback interface.
 */
import type { Transport } from "@mailkeep/core"
import { SmtpTransport } from "@mailkeep/smtp"
import { Layer } from "effect"

/** As many as the dispatcher hands over at once. */
const connectionsMax = 20

export const relayTransport = (port: number): Layer.Layer<Transport> =>
  Layer.orDie(
    SmtpTransport.layer({ host: "127.0.0.1", port, tls: "off", smtpUtf8: true, pool: { connectionsMax }, dsn: true })
  )

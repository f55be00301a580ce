/**
 * What `mailkeep serve` and `mailkeep start` print once they listen.
 */
import type { OpenPorts } from "../listeners.ts"
import type { TransportChoice } from "../mailFlags.ts"

/** The transport as a word. The URL of a relay may contain a password, so it is not shown. */
export const transportName = (transport: TransportChoice): "stub" | "smtp" => (transport === "stub" ? "stub" : "smtp")

/** One line for each port that is open besides that of the interface. */
export const portLines = ({ bounces, smtp, operations }: OpenPorts): ReadonlyArray<string> => [
  ...(bounces === undefined ? [] : [`Bounces and complaints: smtp://${bounces}`]),
  ...(smtp === undefined ? [] : [`Mail from products (user apikey): smtp://${smtp}`]),
  ...(operations === undefined ? [] : [`Health and metrics: ${operations}/health and ${operations}/metrics`])
]

/** The addresses, and a warning when no mail leaves. */
export const servingLines = (url: string, ports: OpenPorts, transport: TransportChoice): string =>
  [
    `Mailkeep listens on ${url}`,
    ...(transport === "stub" ? ["The stub transport sends nothing. Give --transport to send mail."] : []),
    ...portLines(ports)
  ].join("\n")

/** The address of the mailbox in a browser of this machine. `null` for another host, because the mailbox refuses it. */
export const mailboxUrl = (url: string): string | null => {
  const { hostname, port } = new URL(url)
  if (["0.0.0.0", "[::]"].includes(hostname)) return `http://localhost:${port}/mailbox`
  return /^(?:127\.|\[::1\]$|(?:.+\.)?localhost$)/.test(hostname) ? `${url}/mailbox` : null
}

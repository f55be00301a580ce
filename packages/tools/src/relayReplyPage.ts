/**
 * The reference page of the replies of a relay: each row of the table of refusals with the status that follows, and the replies that are no
 * refusal.
 */
import type { DeliveryRow, RefusalRow } from "@mailkeep/core/adapter"
import { deliveryTable, refusalTable } from "@mailkeep/core/adapter"
import { generatedNotice, table } from "./markdown.ts"

const rows: ReadonlyArray<DeliveryRow> = deliveryTable

/** The status and the reason that a trigger gives a delivery in status `sending`. */
const outcomeOf = ({ means: { trigger, suppress, relayFault } }: RefusalRow): string => {
  if (trigger === "TransportDeferred")
    return relayFault ? "`queued`; no deferral is counted, and the relay gets a pause" : "`queued`, as a deferral"
  const row = rows.find((one) => one.from === "sending" && one.trigger === trigger)
  if (row?.reason === undefined) throw new Error(`The delivery table has no reason for ${trigger}.`)
  return `\`${row.to}\`, \`${row.reason}\`${suppress ? "; the address is suppressed" : ""}`
}

export const relayReplyPage = (): string => `${generatedNotice("the table of refusals (`SmtpReply.ts`)")}
# Replies of the relay

A 2xx reply to the end of data makes a delivery \`accepted\`, or \`delivered\` when the transport declares \`confirmsDelivery\`. For a refusal the first
row that matches applies. Where no reply arrives, the phase of the attempt decides: see [the hand-off](../decisions/0006-hand-off.md).

${table(
  ["Refusal", "What follows", "Source"],
  refusalTable.map((row) => [row.when, outcomeOf(row), row.source])
)}

A code or a text shows an unknown mailbox or domain only if the text gives no other cause, such as a rate or a block. The same rules apply to the
reports of other systems. An enhanced code counts only if its class agrees with the reply code. The relay's words stay in the attempt, on one line of at most 1,000
characters. [Decision 0022](../decisions/0022-retries.md) has the times of the retries, and
[decision 0041](../decisions/0041-relay-limit.md) the pauses of a relay.
`

/**
 * The reference page of the delivery machine and the contact subscription, drawn from their tables.
 */
import type { DeliveryRow, SubscriptionRow } from "@mailkeep/core/domain"
import { claimableStatuses, deliveryTable, subscriptionTable, terminalStatuses } from "@mailkeep/core/domain"
import { generatedNotice, table } from "./markdown.ts"

const rows: ReadonlyArray<DeliveryRow> = deliveryTable

/** Arrows with the same ends are one arrow. */
const arrows = (
  moves: ReadonlyArray<{ readonly from: string; readonly to: string; readonly on: string }>
): ReadonlyArray<string> => {
  const labels = new Map<string, Array<string>>()
  const node = (name: string) => (name === "none" ? "[*]" : name)
  for (const { from, to, on } of moves) {
    const ends = `${node(from)} --> ${node(to)}`
    labels.set(ends, [...(labels.get(ends) ?? []), on])
  }
  return [...labels].map(([ends, on]) => `  ${ends}: ${on.join(", ")}`)
}

const diagram = (moves: Parameters<typeof arrows>[0]): string =>
  ["```mermaid", "stateDiagram-v2", ...arrows(moves), "```"].join("\n")

const signed = (name: string, by: number | undefined) => (by === undefined ? [] : [`${name} ${by > 0 ? "+" : "−"}1`])

const costs = ({ ledger, refunds }: DeliveryRow): string =>
  [
    ...signed("waiting", ledger?.waiting),
    ...signed("daily", ledger?.daily),
    ...signed("allowance", ledger?.allowance),
    ...(refunds === true ? ["daily −1, allowance −1 if no attempt reached the relay"] : [])
  ].join(", ")

const deliveryRows = rows.map((row) => [
  row.fromReason === undefined ? row.from : `${row.from} (${row.fromReason})`,
  row.on,
  row.to,
  row.reason ?? "",
  costs(row),
  row.emits ?? "",
  row.source
])

const subscriptionRows = (subscriptionTable as ReadonlyArray<SubscriptionRow>).map(
  ({ from, on, to, emits, source }) => [from, on, to, emits ?? "", source]
)

export const statePage = (): string => `${generatedNotice("packages/core/src/domain/DeliveryTable.ts")}
# Delivery states

A delivery is one message on its way to one recipient. Every move it can make is a row of one table; nothing else moves it.

${diagram(rows)}

- Ends: ${terminalStatuses.join(", ")}; \`failed\` alone is left again, by evidence, when its reason is \`delivery_uncertain\`.
- Waiting for the dispatcher, so that a claim reaches them: ${claimableStatuses.join(", ")}.
- Reports (\`DeliveredReported\`, \`BounceReported\`, \`ComplaintReported\`) may come late, twice and in any order; any order of the
  same reports ends in the same status.

${table(["From", "Trigger", "To", "Reason", "Counters", "Event", "Source"], deliveryRows)}

An empty reason on a suppressed delivery is the suppression's own; a bounced or failed one keeps the relay's words in \`status_message\`.

# Contact subscription

${diagram(subscriptionTable as ReadonlyArray<SubscriptionRow>)}

${table(["From", "Trigger", "To", "Event", "Source"], subscriptionRows)}
`

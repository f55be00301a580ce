/**
 * The reference page of the delivery machine and of the email status of a contact, generated from their tables.
 */
import type { DeliveryRow, EmailStatusRow } from "@mailkeep/core/adapter"
import { claimableStatuses, deliveryTable, emailStatusTable, terminalStatuses } from "@mailkeep/core/adapter"
import { generatedNotice, table } from "./markdown.ts"
import { files } from "./workspace.ts"

const rows: ReadonlyArray<DeliveryRow> = deliveryTable

/** A source with links to the decisions and pages that it names, as the page in `docs/reference` writes them. */
const sourceLinks = (source: string): string =>
  source
    .replaceAll(/decision (\d{4})/g, (named, number: string) => {
      const [file] = files(`docs/decisions/${number}-*.md`)
      return file === undefined ? named : `[${named}](${file.replace(/^docs/, "..")})`
    })
    .replaceAll(/docs\/(\S+\.md) ([SW][\d.]+\d(?: and [SW][\d.]+\d)*)/g, "[$2](../$1)")

/** Transitions with the same start and end share one arrow. */
const arrows = (
  transitions: ReadonlyArray<{ readonly from: string; readonly to: string; readonly trigger: string }>
): ReadonlyArray<string> => {
  const labels = new Map<string, Array<string>>()
  const node = (name: string) => (name === "none" ? "[*]" : name)
  for (const { from, to, trigger } of transitions) {
    const ends = `${node(from)} --> ${node(to)}`
    labels.set(ends, [...(labels.get(ends) ?? []), trigger])
  }
  return [...labels].map(([ends, triggers]) => `  ${ends}: ${triggers.join(", ")}`)
}

const diagram = (transitions: Parameters<typeof arrows>[0]): string =>
  ["```mermaid", "stateDiagram-v2", ...arrows(transitions), "```"].join("\n")

const signed = (name: string, by: number | undefined) => (by === undefined ? [] : [`${name} ${by > 0 ? "+" : "−"}1`])

const costs = ({ counters, refunds }: DeliveryRow): string =>
  [
    ...signed("scheduledRecipients", counters?.scheduledRecipients),
    ...signed("daily", counters?.daily),
    ...signed("allowance", counters?.allowance),
    ...(refunds === true ? ["daily −1, allowance −1 if no attempt reached the relay"] : [])
  ].join(", ")

const deliveryRows = rows.map((row) => [
  row.fromReason === undefined ? row.from : `${row.from} (${row.fromReason})`,
  row.trigger,
  row.to,
  row.reason ?? "",
  costs(row),
  row.emits ?? "",
  sourceLinks(row.source)
])

const emailStatusRows = (emailStatusTable as ReadonlyArray<EmailStatusRow>).map(
  ({ from, trigger, to, emits, source }) => [from, trigger, to, emits ?? "", sourceLinks(source)]
)

export const statePage = (): string => `${generatedNotice("packages/core/src/domain/delivery/DeliveryTable.ts")}
# Delivery states

A delivery is one message to one recipient. Each row of the table is a transition. A delivery makes no other transition.

${diagram(rows)}

- Terminal statuses: ${terminalStatuses.join(", ")}. Later evidence can still change a \`failed\` delivery whose reason is \`delivery_uncertain\`.
- Statuses that the dispatcher claims: ${claimableStatuses.join(", ")}.
- Reports (\`DeliveredReported\`, \`BounceReported\`, \`ComplaintReported\`) may arrive late, twice and in any order. The same reports lead to
  the same status in any order.

${table(["From", "Trigger", "To", "Reason", "Counters", "Event", "Source"], deliveryRows)}

When the column Reason is empty, a suppressed delivery takes the reason of the suppression. A bounced or failed delivery keeps the reply of the
relay in \`status_message\`.

# Email status of a contact

${diagram(emailStatusTable as ReadonlyArray<EmailStatusRow>)}

${table(["From", "Trigger", "To", "Event", "Source"], emailStatusRows)}
`

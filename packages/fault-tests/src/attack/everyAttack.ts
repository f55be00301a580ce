/**
 * All attacks, by the process that runs them. Attacks that keep connections open have a process of their own, so that attacks with large
 * buffers do not delay them.
 */
import type { Attack } from "./Attack.ts"
import { contactAttacks } from "./attacks/contacts.ts"
import { malformedRequestAttacks } from "./attacks/malformedRequests.ts"
import { requestBodyAttacks } from "./attacks/requestBodies.ts"
import { slowClientAttacks } from "./attacks/slowClients.ts"
import { templateAttacks } from "./attacks/templates.ts"
import { webhookAttacks } from "./attacks/webhooks.ts"

export const attackerProcesses: Readonly<Record<"requests" | "connections", ReadonlyArray<Attack>>> = {
  requests: [...templateAttacks, ...contactAttacks, ...requestBodyAttacks, ...malformedRequestAttacks],
  connections: [...slowClientAttacks, ...webhookAttacks]
}
export type AttackerProcess = keyof typeof attackerProcesses

/** This attack runs in a separate process; see `foreignReader.ts`. */
export const foreignReaderAttack = {
  name: "foreign reader of the file",
  bound: "one read transaction of at most 60 s, then a pause of the same length"
} as const

export const everyAttack: ReadonlyArray<{ readonly name: string; readonly bound: string }> = [
  ...Object.values(attackerProcesses).flat(),
  foreignReaderAttack
]

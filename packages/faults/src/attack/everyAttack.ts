/**
 * All attacks, by the process that runs them: those that hold connections open do not wait for those that fill buffers.
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

/** Held by a process of its own; see `foreignReader.ts`. */
export const foreignReaderAttack = {
  name: "foreign reader of the file",
  bound: "a read transaction of at most 60 s, again after as long"
} as const

export const everyAttack: ReadonlyArray<{ readonly name: string; readonly bound: string }> = [
  ...Object.values(attackerProcesses).flat(),
  foreignReaderAttack
]

/**
 * Invalid inputs of the methods of `Sending`.
 */
import { project, sendInput, start } from "@mailkeep/test-support"
import { Effect } from "effect"
import { Sending } from "../../../src/index.ts"
import type { Anything, Case } from "./hostileValues.ts"
import { email, huge, notEmail, notInstant, notName, notObject, notProject, notText } from "./hostileValues.ts"

const sending = <A, E, R>(use: (service: Sending["Service"]) => Effect.Effect<A, E, R>) => Effect.flatMap(Sending, use)
const sendWith = (field: string) => (value: Anything) =>
  sending((service) => service.send(project, { ...sendInput(), [field]: value } as Anything))
const sendWithOption = (option: string) => (value: Anything) =>
  sending((service) => service.send(project, sendInput(), { [option]: value } as Anything))

const notTime = [null, "2026-01-01", Number.NaN, Number.POSITIVE_INFINITY, 0.5, 9e15, new Date(Number.NaN), {}, start]

export const sendCases: ReadonlyArray<Case> = [
  ["Sending.send caller", notProject, (caller) => sending((service) => service.send(caller, sendInput()))],
  ["Sending.send input", notObject, (input) => sending((service) => service.send(project, input))],
  ["Sending.send from", notEmail, sendWith("from")],
  ["Sending.send to", [...notEmail, ["nonsense"], [null], Array(101).fill(email)], sendWith("to")],
  ["Sending.send subject", [...notName, ""], sendWith("subject")],
  [
    "Sending.send metadata",
    [null, 7, [], { at: new Date(0) }, { n: Number.NaN }, { deep: { none: undefined } }],
    sendWith("metadata")
  ],
  ["Sending.send scheduledAt", notTime, sendWith("scheduledAt")],
  [
    "Sending.send options",
    [null, 7, "k", [], { idempotencykey: "k" }],
    (options) => sending((service) => service.send(project, sendInput(), options))
  ],
  ["Sending.send idempotencyKey", [null, 7, "", "a b", huge], sendWithOption("idempotencyKey")],
  ["Sending.send onAmbiguous", [null, 7, "zzz"], sendWithOption("onAmbiguous")],
  ["Sending.send expiresAt", notTime, sendWithOption("expiresAt")],
  [
    "Sending.send headers",
    [null, 7, [], { Bcc: "eve@example.org" }, { "X-A": "a\nb" }, JSON.parse('{"__proto__":"x"}')],
    sendWithOption("headers")
  ],
  ["Sending.cancel caller", notProject, (caller) => sending((service) => service.cancel(caller, "msg_x"))],
  ["Sending.cancel messageId", notText, (id) => sending((service) => service.cancel(project, id))],
  [
    "Sending.reschedule scheduledAt",
    [...notInstant, ...notTime],
    (at) => sending((service) => service.reschedule(project, "msg_x", at))
  ]
]

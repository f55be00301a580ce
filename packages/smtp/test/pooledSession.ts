/**
 * What a relay sees of a connection that hands over several messages.
 */
import type { Session } from "./RelayDialogue.ts"

export const verbs = ({ commands }: Session) => commands.map((line) => line.split(/[ :]/)[0]!)

export const oneMail = ["MAIL", "RCPT", "DATA"]

/** A program that hands one message over and closes its transport. It prints what still keeps it alive. */
export const program = (port: number) => `
import { Effect } from "effect"
import { SmtpTransport } from "@mailkeep/smtp"
const message = { messageIdHeader: "<1@a.example>", date: 0, from: { name: null, address: "a@a.example" }, replyTo: null, to: ["b@b.example"], cc: [], subject: "s", html: null, text: "t", headers: {}, attachments: [] }
const handOff = { deliveryId: "del_1", attempt: 1, envelope: { from: "a@a.example", to: "b@b.example" }, dkim: null, message, beforeFinalize: Effect.void }
const sent = Effect.flatMap(SmtpTransport.make({ host: "127.0.0.1", port: ${port} }), (transport) => transport.handOff(handOff))
const { _tag } = await Effect.runPromise(Effect.scoped(sent))
console.log(_tag, process.getActiveResourcesInfo().filter((name) => /Socket|Timeout|TLS/.test(name)).join())
`

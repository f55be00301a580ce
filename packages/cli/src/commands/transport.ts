/**
 * `mailkeep transport check` connects to the relay, logs in, and prints what the relay offers. It sends nothing.
 */
import type { RelayFeatures } from "@mailkeep/smtp"
import { SmtpTransport } from "@mailkeep/smtp"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { json } from "../flags.ts"
import { transport } from "../mailFlags.ts"
import { exitWith, print, table } from "../output.ts"
import { relayAt } from "../relay.ts"

const yesNo = (value: boolean): string => (value ? "yes" : "no")

const rows = (features: RelayFeatures): ReadonlyArray<ReadonlyArray<string>> => [
  ["Encryption", features.tlsVersion ?? "none"],
  ["Logged in", yesNo(features.authenticated)],
  ["Login methods", features.authMethods.join(", ") || "none"],
  ["Largest message", features.sizeMax === null ? "not stated" : `${features.sizeMax} bytes`],
  ["Non-ASCII addresses (SMTPUTF8)", yesNo(features.smtpUtf8)],
  ["Delivery notifications (DSN)", yesNo(features.dsn)],
  ["Pipelining", yesNo(features.pipelining)]
]

const checkRelay = Effect.fnUntraced(function* (asJson: boolean) {
  const { check } = yield* SmtpTransport.SmtpTransport
  const features = yield* check
  yield* print(asJson, features, `The relay is ready. Nothing was sent.\n\n${table(rows(features))}`)
})

const check = Command.make("check", { transport, json }, ({ transport, json }) =>
  transport === "stub"
    ? exitWith("give the relay: mailkeep transport check --transport smtp://user:password@relay.example:587")
    : checkRelay(json).pipe(
        Effect.provide(relayAt(transport)),
        Effect.catch((failure) =>
          exitWith(
            failure._tag === "RelayRefused"
              ? `${failure.message} ${failure.reply.text}`
              : failure._tag === "TransportUnavailable"
                ? failure.reason
                : failure.message
          )
        )
      )
).pipe(Command.withDescription("Connect to the relay, log in and print what it offers; sends nothing"))

export const transportCommand = Command.make("transport").pipe(
  Command.withDescription("The relay that sends the mail"),
  Command.withSubcommands([check])
)

/**
 * `mailkeep send`: accepts one message. A server on the same data folder sends it at once; without one the message waits for the next
 * server.
 */
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { Sending } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { data, json, project } from "../flags.ts"
import * as DataFolder from "../dataFolder.ts"
import { print } from "../output.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** Parses `name=value`. The value becomes a number or a boolean if it has that form. */
const variable = (present: string): readonly [string, string | number | boolean] => {
  const at = present.indexOf("=")
  const value = present.slice(at + 1)
  const known = value === "true" ? true : value === "false" ? false : Number(value)
  return [
    present.slice(0, at),
    typeof known === "boolean" || (value.trim() !== "" && !Number.isNaN(known)) ? known : value
  ]
}

const file = (name: string | undefined) => (name === undefined ? undefined : readFileSync(name, "utf8"))

const attachment = (path: string) => ({ filename: basename(path), content: readFileSync(path) })

export const send = Command.make(
  "send",
  {
    data,
    project,
    json,
    from: Flag.String("from").pipe(
      Flag.withDescription("The sender at a verified domain, such as 'Shop <shop@acme.example>'")
    ),
    to: Flag.String("to").pipe(Flag.atLeast(1), Flag.withDescription("A recipient; repeatable")),
    subject: text("subject", "The subject"),
    text: text("text", "The plain text"),
    html: text("html", "The HTML"),
    textFile: text("text-file", "A file with the plain text"),
    htmlFile: text("html-file", "A file with the HTML"),
    fromName: text("from-name", "The display name of the sender; default the name in --from"),
    replyTo: text("reply-to", "The address for replies"),
    template: text("template", "The id or alias of a published template, instead of a subject and bodies"),
    variables: Flag.String("var").pipe(
      Flag.atLeast(0),
      Flag.withDescription("A template variable as name=value; repeatable")
    ),
    attach: Flag.String("attach").pipe(
      Flag.atLeast(0),
      Flag.withDescription("A file to send with the message; repeatable")
    ),
    scheduledAt: text("scheduled-at", "When to send it, such as 2027-01-01T09:00:00+01:00"),
    idempotencyKey: text(
      "idempotency-key",
      "A second send with the same key sends nothing; default a new key for each send"
    )
  },
  ({ data, project, json, variables, textFile, htmlFile, template, attach, idempotencyKey, ...body }) =>
    Effect.gen(function* () {
      const input = {
        ...body,
        text: body.text ?? file(textFile),
        html: body.html ?? file(htmlFile),
        templateId: template,
        attachments: attach.length === 0 ? undefined : attach.map(attachment),
        templateVariables: variables.length === 0 ? undefined : Object.fromEntries(variables.map(variable))
      }
      const sent = yield* (yield* Sending).send(project, input, { idempotencyKey })
      const { messageId, totalQueued, deliveryIds } = sent
      const shown = { messageId, totalQueued, deliveryIds, scheduledAt: formatInstantOrNull(sent.scheduledAt) }
      yield* print(json, shown, `${messageId} ${totalQueued} queued`)
    }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("Accept one message; a server on the same data folder sends it"))

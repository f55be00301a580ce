/**
 * `mailkeep send`: accepts one message. A server on the same files hands it over at once; without one it waits for the next.
 */
import { readFileSync } from "node:fs"
import { randomUUID } from "node:crypto"
import { embedder, formatInstantOrNull, InvalidArgument, parseSend, Sending } from "@mailkeep/core"
import { Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { data, json, project } from "../flags.ts"
import * as MailHome from "../mailHome.ts"
import { print } from "../output.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** `name=value` as a value: a number or a boolean where it reads as one. */
const variable = (given: string): readonly [string, string | number | boolean] => {
  const at = given.indexOf("=")
  const value = given.slice(at + 1)
  const known = value === "true" ? true : value === "false" ? false : Number(value)
  return [
    given.slice(0, at),
    typeof known === "boolean" || (value.trim() !== "" && !Number.isNaN(known)) ? known : value
  ]
}

const file = (name: string | undefined) => (name === undefined ? undefined : readFileSync(name, "utf8"))

export const send = Command.make(
  "send",
  {
    data,
    project,
    json,
    from: Flag.String("from").pipe(Flag.withDescription("A bare address of a verified domain")),
    to: Flag.String("to").pipe(Flag.atLeast(1), Flag.withDescription("A recipient; once for each")),
    subject: text("subject", "The subject"),
    text: text("text", "The plain text"),
    html: text("html", "The HTML"),
    textFile: text("text-file", "A file with the plain text"),
    htmlFile: text("html-file", "A file with the HTML"),
    fromName: text("from-name", "The name beside the address"),
    replyTo: text("reply-to", "Where answers go"),
    template: text("template", "The id or alias of a published template, in place of subject and bodies"),
    variables: Flag.String("var").pipe(
      Flag.atLeast(0),
      Flag.withDescription("A template's variable as name=value; once for each")
    ),
    scheduledAt: text("scheduled-at", "When to send it, such as 2027-01-01T09:00:00+01:00"),
    idempotencyKey: text("idempotency-key", "The same key sends once; a new one each time when left out")
  },
  ({ data, project, json, variables, textFile, htmlFile, template, to, idempotencyKey, ...body }) =>
    Effect.gen(function* () {
      const asked = {
        ...body,
        to,
        text: body.text ?? file(textFile),
        html: body.html ?? file(htmlFile),
        templateId: template,
        templateVariables: variables.length === 0 ? undefined : Object.fromEntries(variables.map(variable))
      }
      const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
      const request = parseSend(given)
      if (Result.isFailure(request)) return yield* new InvalidArgument({ context: "body", issues: request.failure })
      const { result } = yield* (yield* Sending).send(
        embedder(project),
        request.success,
        idempotencyKey ?? randomUUID()
      )
      const { messageId, totalQueued, deliveryIds } = result
      const shown = { messageId, totalQueued, deliveryIds, scheduledAt: formatInstantOrNull(result.scheduledAt) }
      yield* print(json, shown, `${messageId} ${totalQueued} queued`)
    }).pipe(MailHome.at({ data }))
).pipe(Command.withDescription("Accept one message; a server on the same files sends it"))

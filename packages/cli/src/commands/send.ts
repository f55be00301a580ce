/**
 * `mailkeep send`: accepts one message. A server on the same data folder sends it at once; without one the message waits for the next
 * server.
 */
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { Sending } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { data, json, textFlag, project } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { onFile, readTextIfGiven } from "../files.ts"
import { exitWith, print } from "../output.ts"
import { isAssignment, readVariables } from "../templateVariables.ts"

const attachment = (path: string) =>
  onFile("read", path, () => ({ filename: basename(path), content: readFileSync(path) }))

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
    subject: textFlag("subject", "The subject"),
    text: textFlag("text", "The plain text"),
    html: textFlag("html", "The HTML"),
    textFile: textFlag("text-file", "A file with the plain text"),
    htmlFile: textFlag("html-file", "A file with the HTML"),
    fromName: textFlag("from-name", "The display name of the sender; default the name in --from"),
    replyTo: textFlag("reply-to", "The address for replies"),
    template: textFlag("template", "The id or alias of a published template, instead of a subject and bodies"),
    variables: Flag.String("var").pipe(
      Flag.filter(isAssignment, (text) => `Expected name=value, such as order=A17, not "${text}"`),
      Flag.atLeast(0),
      Flag.withDescription("A template variable as name=value; repeatable")
    ),
    attach: Flag.String("attach").pipe(
      Flag.atLeast(0),
      Flag.withDescription("A file to send with the message; repeatable")
    ),
    scheduledAt: textFlag("scheduled-at", "When to send it, such as 2027-01-01T09:00:00+01:00"),
    idempotencyKey: textFlag(
      "idempotency-key",
      "A second send with the same key sends nothing; default a new key for each send"
    )
  },
  ({ data, project, json, variables, textFile, htmlFile, template, attach, idempotencyKey, ...body }) =>
    Effect.gen(function* () {
      if (body.text !== undefined && textFile !== undefined) return yield* exitWith("give either --text or --text-file")
      if (body.html !== undefined && htmlFile !== undefined) return yield* exitWith("give either --html or --html-file")
      const input = {
        ...body,
        text: body.text ?? (yield* readTextIfGiven(textFile)),
        html: body.html ?? (yield* readTextIfGiven(htmlFile)),
        templateId: template,
        attachments: attach.length === 0 ? undefined : yield* Effect.forEach(attach, attachment),
        templateVariables: variables.length === 0 ? undefined : yield* readVariables(project, template, variables)
      }
      const sent = yield* (yield* Sending).send(project, input, { idempotencyKey })
      const { messageId, totalQueued, deliveryIds } = sent
      const shown = { messageId, totalQueued, deliveryIds, scheduledAt: formatInstantOrNull(sent.scheduledAt) }
      yield* print(json, shown, `${messageId} ${totalQueued} queued`)
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Accept one message; a server on the same data folder sends it"))

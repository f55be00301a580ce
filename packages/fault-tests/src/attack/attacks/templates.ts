/**
 * Templates that are cheap to send but expensive to render: quadratic patterns, growth by escaping, and a cache of parsed templates.
 */
import type { Attack, AttackContext, PreparedTemplate } from "../Attack.ts"
import { paced } from "../Attack.ts"
import { exchange, json, requestBytes } from "../rawHttp.ts"

const bodyTags = (bytes: number): string => "<body ".repeat(Math.ceil(bytes / 6)).slice(0, bytes)

const apiKeyOf = ({ prepared }: AttackContext) => prepared.apiKeys.prj_templates

const ask = (context: AttackContext, method: string, path: string, body: Buffer, headers?: ReadonlyArray<string>) =>
  exchange(
    context.address,
    requestBytes({ method, path, apiKey: apiKeyOf(context), ...(headers === undefined ? {} : { headers }) }, body),
    context.signal
  )

const templatePath = ({ prepared }: AttackContext, template: PreparedTemplate) =>
  `/emails/templates/${prepared.templates[template]}`

const preview = (context: AttackContext, template: PreparedTemplate, body: Buffer) =>
  ask(context, "POST", `${templatePath(context, template)}/preview`, body)

const noVariables = json({ variables: {} })

/** Sends with the template. Each send has a new idempotency key, because a replay does not render. */
const send = (context: AttackContext, template: PreparedTemplate, n: number, templateVariables: object) =>
  ask(
    context,
    "POST",
    "/emails/send",
    json({
      from: "shop@templates.example",
      to: `t${n}@example.net`,
      templateId: context.prepared.templates[template],
      templateVariables
    }),
    [`Idempotency-Key: ${template}-${process.pid}-${n}`]
  )

/** Changes the template to new HTML, then previews it. */
const previewOther = async (context: AttackContext, template: PreparedTemplate, html: string) => {
  const changed = await ask(context, "PATCH", templatePath(context, template), json({ html }))
  context.count(`change ${changed}`)
  return preview(context, template, noVariables)
}

/** HTML with many short tags, whose parsed form is many times larger. */
export const taggedHtml = (bytes: number): string => "{{a}}".repeat(Math.floor(bytes / 5))

export const templateAttacks: ReadonlyArray<Attack> = [
  {
    name: "template of 400 KB of <body",
    bound: "1 preview or send per second, 4 at once",
    run: (context) =>
      paced({ everyMillis: 1000, atOnceMax: 4 }, context, (n) =>
        n % 2 === 0 ? preview(context, "bodyTags", noVariables) : send(context, "bodyTags", n, {})
      )
  },
  {
    name: "value of 800 KB of <body",
    bound: "1 preview or send per second, 4 at once",
    run: (context) => {
      const variables = { a: bodyTags(800_000) }
      const body = json({ variables })
      return paced({ everyMillis: 1000, atOnceMax: 4 }, context, (n) =>
        n % 2 === 0 ? preview(context, "rawValue", body) : send(context, "rawValue", n, variables)
      )
    }
  },
  {
    name: "templates of 14 KB, each different",
    bound: "5 changes and previews per second, 10 at once",
    run: (context) =>
      paced({ everyMillis: 200, atOnceMax: 10 }, context, (n) =>
        previewOther(context, "small", `${process.pid} ${n} ${taggedHtml(14_000)}`)
      )
  },
  {
    name: "templates of 2 MB, each different",
    bound: "1 change and preview in 2 s, 2 at once",
    run: (context) => {
      const html = taggedHtml(2_000_000)
      return paced({ everyMillis: 2000, atOnceMax: 2 }, context, (n) =>
        previewOther(context, "large", `${process.pid} ${n} ${html}`)
      )
    }
  },
  {
    name: "100 tags with 1 MB of &",
    bound: "1 preview in 2 s, 2 at once",
    run: (context) => {
      const body = json({ variables: { a: "&".repeat(1_000_000) } })
      return paced({ everyMillis: 2000, atOnceMax: 2 }, context, () => preview(context, "hundredTags", body))
    }
  },
  {
    name: "200,000 tags with 9 MB",
    bound: "1 preview in 5 s, 2 at once",
    run: (context) => {
      const body = json({ variables: { a: "x".repeat(9_000_000) } })
      return paced({ everyMillis: 5000, atOnceMax: 2 }, context, () => preview(context, "manyTags", body))
    }
  }
]

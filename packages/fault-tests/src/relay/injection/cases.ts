/**
 * Puts a payload into each field of a send. A case has the fields to send, and the message that must arrive when the core accepts them.
 */
import type { SampleFile, SampleMail } from "../SampleMail.ts"
import { senderDomain } from "../SampleMail.ts"
import type { Payload } from "./payloads.ts"
import { payloads } from "./payloads.ts"

/** One send with a payload in one of its fields. */
export interface InjectionCase {
  readonly field: string
  readonly payload: Payload
  /** The content to send, and to find again. */
  readonly mail: SampleMail
  readonly metadata: Readonly<Record<string, string>>
  readonly idempotencyKey: string | null
  /** The parts of a template to send instead of subject and bodies, and its variable. */
  readonly template: InjectedTemplate | null
  /** Whether the content of the message must be equal. A template changes its values on purpose. */
  readonly comparesContent: boolean
}

/** A template with the variable `name`. */
interface InjectedTemplate {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly name: string
}

type Change = Partial<SampleMail> & Partial<Pick<InjectionCase, "metadata" | "idempotencyKey" | "template">>

const file: SampleFile = {
  filename: "report.pdf",
  contentType: "application/pdf",
  content: Buffer.from("content of the file"),
  contentId: null
}

const template: InjectedTemplate = {
  subject: "Hello {{name}}",
  text: "Dear {{name}}",
  html: "<p>Dear {{name}}</p>",
  name: "Ada"
}

const addressFields = ["to", "cc", "bcc"] as const

/** Both ways to put a payload into an address: within the quotes of its local part, and after it. */
const inAddress = (name: string, domain: string, text: string): Readonly<Record<string, string>> => ({
  "local part": `"${name}${text}"@${domain}`,
  "end of the address": `${name}@${domain}${text}`,
  "beginning of the address": `${text}${name}@${domain}`
})

const addressChanges = (text: string): Readonly<Record<string, Change>> =>
  Object.fromEntries([
    ...addressFields.flatMap((field) =>
      Object.entries(inAddress(field, "good.test", text)).map(([where, address]) => [
        `${field}, ${where}`,
        { [field]: [address] }
      ])
    ),
    ...Object.entries(inAddress("shop", senderDomain, text)).map(([where, from]) => [`from, ${where}`, { from }]),
    ...Object.entries(inAddress("reply", "good.test", text)).map(([where, replyTo]) => [
      `replyTo, ${where}`,
      { replyTo }
    ])
  ]) as Readonly<Record<string, Change>>

const changes = (text: string): Readonly<Record<string, Change>> => ({
  ...addressChanges(text),
  fromName: { fromName: `Shop${text}` },
  subject: { subject: `Hello${text}` },
  text: { text: `Hello${text}` },
  html: { html: `<p>Hello${text}</p>` },
  "header value": { headers: { "X-Note": `note${text}` } },
  "header name": { headers: { [`X-Note${text}`]: "note" } },
  "List-Unsubscribe": { headers: { "List-Unsubscribe": `<https://shop.test/${text}>` } },
  "metadata value": { metadata: { order: `1${text}` } },
  "metadata name": { metadata: { [`order${text}`]: "1" } },
  idempotencyKey: { idempotencyKey: `key${text}` },
  "file name": { files: [{ ...file, filename: `report${text}.pdf` }] },
  "file type": { files: [{ ...file, contentType: `application/pdf${text}` }] },
  "file id": { files: [{ ...file, contentType: "image/png", contentId: `image${text}@shop.test` }] },
  "file content": { files: [{ ...file, content: Buffer.from(`content${text}`) }] },
  "template variable": { template: { ...template, name: `Ada${text}` } },
  "template subject": { template: { ...template, subject: `Hello${text}` } },
  "template text": { template: { ...template, text: `Hello${text}` } },
  "template html": { template: { ...template, html: `<p>Hello${text}</p>` } }
})

/** All cases. The number in each recipient makes the addresses unique. */
export const injectionCases: ReadonlyArray<InjectionCase> = payloads.flatMap((payload) =>
  Object.entries(changes(payload.text)).map(([field, change]): InjectionCase => {
    const { metadata = {}, idempotencyKey = null, template = null, ...mail } = change
    return {
      field,
      payload,
      metadata,
      idempotencyKey,
      template,
      comparesContent: template === null,
      mail: {
        fromName: "Shop",
        from: `shop@${senderDomain}`,
        to: ["ada@good.test"],
        cc: [],
        bcc: [],
        replyTo: null,
        subject: "Hello",
        text: "Hello",
        html: "<p>Hello</p>",
        headers: {},
        files: [],
        ...mail
      }
    }
  })
)

/**
 * Request bodies that are expensive to read, and a write that is expensive to refuse.
 */
import type { Attack, AttackContext } from "../Attack.ts"
import { paced } from "../Attack.ts"
import { exchange, headBytes, json, requestBytes, sendHead } from "../rawHttp.ts"

const megabytes10 = 10 * 1024 * 1024

const post = (context: AttackContext, path: string, body: Buffer, headers?: ReadonlyArray<string>) =>
  exchange(
    context.address,
    requestBytes(
      {
        method: "POST",
        path,
        apiKey: context.prepared.apiKeys.prj_bodies,
        ...(headers === undefined ? {} : { headers })
      },
      body
    ),
    context.signal
  )

/** Posts the same body as a send repeatedly. */
const sends =
  (everyMillis: number, body: () => Buffer): Attack["run"] =>
  (context) => {
    const bytes = body()
    return paced({ everyMillis, atOnceMax: 4 }, context, () =>
      post(context, "/emails/send", bytes, ["Idempotency-Key: body"])
    )
  }

/** The body of a valid send with an added part. */
const sendWith = (added: string): Buffer =>
  Buffer.from(`{"from":"shop@bodies.example","to":"body@example.net","subject":"A subject","text":"A text",${added}}`)

const file = (bytes: number): string => `{"filename":"a.bin","content":"${Buffer.alloc(bytes, 7).toString("base64")}"}`

const depth = 20_000

export const requestBodyAttacks: ReadonlyArray<Attack> = [
  {
    name: "10 MB of [",
    bound: "1 in 2 s, 4 at once",
    run: sends(2000, () => Buffer.alloc(megabytes10, "["))
  },
  {
    name: '10 MB of {"a":',
    bound: "1 in 2 s, 4 at once",
    run: sends(2000, () => Buffer.alloc(megabytes10, '{"a":'))
  },
  {
    name: "metadata 20,000 deep",
    bound: "2 per second, 4 at once",
    run: sends(500, () => sendWith(`"metadata":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`))
  },
  {
    name: "50,000 unknown fields",
    bound: "1 per second, 4 at once",
    run: sends(1000, () => sendWith(Array.from({ length: 50_000 }, (_, n) => `"unknown${n}":${n}`).join(",")))
  },
  {
    name: "bodies of 40 MB",
    bound: "1 in 2 s, 4 at once",
    run: sends(2000, () => Buffer.alloc(40 * 1024 * 1024, " "))
  },
  {
    name: "20 MB of files",
    bound: "1 in 2 s, 4 at once",
    run: sends(2000, () => sendWith(`"attachments":[${file(20 * 1024 * 1024)}]`))
  },
  {
    name: "27 MB of escapes in a file",
    bound: "1 in 2 s, 4 at once",
    run: sends(2000, () => sendWith(`"attachments":[{"filename":"a.bin","content":"${"\\/".repeat(13_000_000)}"}]`))
  },
  {
    name: "declared body of 50 GB",
    bound: "5 per second, 20 at once",
    run: (context) => {
      const { prj_bodies: apiKey } = context.prepared.apiKeys
      const head = headBytes(sendHead(apiKey, "declared", { bodyBytes: 50_000_000_000 }))
      const begun = Buffer.alloc(16 * 1024, " ")
      return paced({ everyMillis: 200, atOnceMax: 20 }, context, () =>
        exchange(context.address, [head, begun], context.signal)
      )
    }
  },
  {
    name: "repeated creation of a domain",
    bound: "5 per second, 10 at once",
    run: (context) => {
      const body = json({ domain: "again.example" })
      return paced({ everyMillis: 200, atOnceMax: 10 }, context, () => post(context, "/emails/domains", body))
    }
  }
]

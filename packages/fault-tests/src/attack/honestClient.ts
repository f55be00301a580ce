/**
 * The honest clients. They send requests at fixed times and do not wait for earlier answers. So if the server stops for a second, every
 * request of that second is late. Writes a line for each request until SIGTERM, then waits for the running requests.
 */
import { Agent, request } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { appender } from "../Lines.ts"
import type { Address } from "./Attack.ts"
import type { HonestKind, HonestProject, HonestRequest } from "./HonestRequest.ts"
import { honestKinds, honestProjects, honestRates } from "./HonestRequest.ts"

export interface HonestClientOptions {
  readonly address: Address
  readonly apiKeys: Readonly<Record<HonestProject, string>>
  /** The file that gets a line for each request. */
  readonly file: string
}

const { address, apiKeys, file } = JSON.parse(process.argv[2]!) as HonestClientOptions

const answerMillisMax = 60_000
const write: (line: HonestRequest) => void = appender(file)
const stopping = new AbortController()
process.on("SIGTERM", () => stopping.abort())

/** Log listings do not use this agent: each opens a new connection, so they fail if the server accepts no more connections. */
const keepAliveAgent = new Agent({ keepAlive: true })

interface Answer {
  readonly status: number | null
  readonly text: string
}

const ask = (
  project: HonestProject,
  method: string,
  path: string,
  keepsAlive: boolean,
  body?: object,
  idempotencyKey?: string
) =>
  new Promise<Answer>((resolve) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const outgoing = request(
      {
        ...address,
        method,
        path: `/api/v1${path}`,
        agent: keepsAlive ? keepAliveAgent : false,
        signal: AbortSignal.timeout(answerMillisMax),
        headers: {
          authorization: `Bearer ${apiKeys[project]}`,
          ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length }),
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
        }
      },
      (incoming) => {
        let text = ""
        incoming.setEncoding("utf8")
        incoming.on("data", (chunk: string) => (text += chunk))
        incoming.on("end", () => resolve({ status: incoming.statusCode!, text }))
        incoming.on("error", () => resolve({ status: null, text: "" }))
      }
    )
    outgoing.on("error", () => resolve({ status: null, text: "" }))
    outgoing.end(bytes)
  })

const domainOf = (project: HonestProject) => `${project.slice("prj_".length)}.example`

const kinds: Readonly<Record<HonestKind, (project: HonestProject, unique: string) => Promise<Answer>>> = {
  send: (project, unique) =>
    ask(
      project,
      "POST",
      "/emails/send",
      true,
      {
        from: `shop@${domainOf(project)}`,
        to: `${unique}@example.net`,
        subject: "Your order",
        text: "It is on its way."
      },
      unique
    ),
  "list logs": (project) => ask(project, "GET", "/emails/logs?limit=20", false),
  "create contact": (project, unique) =>
    ask(project, "POST", "/emails/contacts", true, { email: `${unique}@example.net`, firstName: "Grace" })
}

const deliveryIdsIn = ({ status, text }: Answer): ReadonlyArray<string> =>
  status === 202 ? (JSON.parse(text) as { data: { deliveryIds: ReadonlyArray<string> } }).data.deliveryIds : []

const running = new Set<Promise<void>>()

const one = async (kind: HonestKind, n: number, intendedAt: number): Promise<void> => {
  const project = honestProjects[n % honestProjects.length]!
  const lateMillis = Date.now() - intendedAt
  const answer = await kinds[kind](project, `h${process.pid}-${kind.replace(" ", "-")}-${n}`)
  write({
    kind,
    project,
    intendedAt,
    millis: Date.now() - intendedAt,
    lateMillis,
    status: answer.status,
    deliveryIds: deliveryIdsIn(answer)
  })
}

const startAt = Date.now()
const schedule = async (kind: HonestKind): Promise<void> => {
  for (let n = 0; !stopping.signal.aborted; n++) {
    const intendedAt = startAt + (n * 1000) / honestRates[kind]
    const early = intendedAt - Date.now()
    if (early > 0) await wait(early, undefined, { signal: stopping.signal }).catch(() => {})
    if (stopping.signal.aborted) return
    const request: Promise<void> = one(kind, n, intendedAt).then(() => void running.delete(request))
    running.add(request)
  }
}

await Promise.all(honestKinds.map(schedule))
await Promise.all(running)
process.exit(0)

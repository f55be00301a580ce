/**
 * The honest clients: requests at fixed times, whether or not the one before has been answered, so that a server that stops for a second
 * answers every request of that second late. Writes a line for each until SIGTERM, then waits for what is under way.
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
  /** Gets a line for each request. */
  readonly file: string
}

const { address, apiKeys, file } = JSON.parse(process.argv[2]!) as HonestClientOptions

const answerMillisMax = 10_000
const write: (line: HonestRequest) => void = appender(file)
const stopping = new AbortController()
process.on("SIGTERM", () => stopping.abort())

/** Log listings come over a connection each: a server that has no room for another connection fails them. */
const keptOpen = new Agent({ keepAlive: true })

interface Answer {
  readonly status: number | null
  readonly text: string
}

const ask = (project: HonestProject, method: string, path: string, kept: boolean, body?: object, key?: string) =>
  new Promise<Answer>((resolve) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const outgoing = request(
      {
        ...address,
        method,
        path: `/api/v1${path}`,
        agent: kept ? keptOpen : false,
        signal: AbortSignal.timeout(answerMillisMax),
        headers: {
          authorization: `Bearer ${apiKeys[project]}`,
          ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length }),
          ...(key === undefined ? {} : { "idempotency-key": key })
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

const underWay = new Set<Promise<void>>()

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
    const request: Promise<void> = one(kind, n, intendedAt).then(() => void underWay.delete(request))
    underWay.add(request)
  }
}

await Promise.all(honestKinds.map(schedule))
await Promise.all(underWay)
process.exit(0)

/**
 * Sends malformed requests to a server. Every response must have a documented status and shape, none is a 5xx, and memory must not grow.
 */
import { spawn } from "node:child_process"
import type { IncomingHttpHeaders } from "node:http"
import { Agent, request } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { hasEnded } from "../childEnd.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { seeded } from "../seeded.ts"
import type { ApiDocument } from "@mailkeep/test-support/apiDocument"
import { operationsOf } from "@mailkeep/test-support/apiDocument"
import type { FuzzRequest } from "./requests.ts"
import { fuzzRequest } from "./requests.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const program = fileURLToPath(new URL("server.ts", import.meta.url))
const atOnce = 16
/** Maximum growth of the heap between the first fifth of the requests and the end. */
const growthBytesMax = 16 * 1024 * 1024

export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
}

/** A line that the server prints. */
interface ServerReport {
  readonly url: string
  readonly key: string
  readonly heapBytes: number
}

const startServer = async (folder: string) => {
  const child = owned(spawn(process.execPath, ["--expose-gc", program, folder], { stdio: ["pipe", "pipe", "pipe"] }))
  let errorOutput = ""
  child.stderr.on("data", (chunk) => (errorOutput += String(chunk)))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`The server ended: ${errorOutput}`)
    return JSON.parse(value as string) as Partial<ServerReport>
  }
  const { url, key } = await nextLine()
  if (url === undefined || key === undefined) throw new Error("The server did not print its URL and API key.")
  return {
    url,
    key,
    errorOutput: () => errorOutput,
    isUp: () => !hasEnded(child),
    heapBytes: async () => {
      child.stdin.write("\n")
      return (await nextLine()).heapBytes ?? 0
    },
    stop: () => child.kill("SIGKILL")
  }
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends a request. Returns `undefined` if Node's HTTP client refuses to send it. */
const exchange = (
  url: string,
  agent: Agent,
  { method, target, headers, body }: FuzzRequest
): Promise<Answer | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    try {
      const outgoing = request({ hostname, port, agent, method, path: target, headers }, (incoming) => {
        let text = ""
        incoming.setEncoding("utf8")
        incoming.on("data", (chunk: string) => (text += chunk))
        incoming.on("end", () => resolve({ status: incoming.statusCode!, headers: incoming.headers, text }))
        incoming.on("error", reject)
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    } catch {
      resolve(undefined)
    }
  })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Statuses that the server may answer before it finds an operation. */
const unrouted = new Set([400, 401, 404, 405, 413])

const idsIn = (text: string): ReadonlyArray<string> => text.match(/\b(?:con|msg|del)_[0-9a-z]{26}\b/g) ?? []

/** Returns what is wrong with an answer, or `undefined`. */
const problemWith = (
  answer: Answer,
  isRouted: boolean,
  method: string,
  checkBody: (status: number, body: unknown) => string | undefined
) => {
  const { status, headers, text } = answer
  if (status >= 500) return `answers ${status}: ${text.slice(0, 200)}`
  if (method === "HEAD") return undefined
  const body = parsed(text)
  if (body === undefined) return `answers ${status} without JSON: ${text.slice(0, 100)}`
  if (status >= 400) {
    const { error, message, correlationId } = body as Record<string, unknown>
    if (typeof error !== "string" || typeof message !== "string" || correlationId !== headers["x-request-id"])
      return `answers ${status} without the shape of an error: ${text.slice(0, 200)}`
  }
  if (status === 404 || status === 405)
    return isRouted && status === 405 ? "answers 405 to a documented method" : undefined
  return isRouted ? checkBody(status, body) : status < 300 || unrouted.has(status) ? undefined : `answers ${status}`
}

export const httpFuzz = async ({ requests, seed }: FuzzOptions): Promise<FaultRun> => {
  const folder = newFolder("mailkeep-fuzz-")
  const server = await startServer(folder)
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const failures: Array<string> = []
  const statuses = new Map<number, number>()
  try {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as ApiDocument
    const operations = operationsOf(document)
    const random = seeded(seed)
    const ids: Array<string> = []
    let sent = 0
    let notSent = 0

    const one = async (n: number) => {
      const operation = operations[Math.floor(random() * operations.length)]!
      const fuzz = fuzzRequest(document, operation, random, server.key, ids, n)
      const answer = await exchange(server.url, agent, fuzz).catch((cause: Error) => cause)
      if (answer === undefined) return void notSent++
      sent++
      const what = `request ${n}, ${fuzz.method} ${fuzz.target.slice(0, 120)}`
      if (answer instanceof Error) return void failures.push(`${what}: ${answer.message}`)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const problem = problemWith(answer, fuzz.isRouted, fuzz.method, operation.checkResponse)
      if (problem !== undefined) failures.push(`${what}: ${problem}; sent ${String(fuzz.body).slice(0, 200)}`)
      if (ids.length < 500) ids.push(...idsIn(answer.text))
    }

    let n = 0
    const until = async (count: number) => {
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (n < count && failures.length < 50 && server.isUp()) await one(n++)
        })
      )
    }
    await until(requests / 5)
    const earlyHeapBytes = server.isUp() ? await server.heapBytes() : 0
    await until(requests)
    if (!server.isUp()) failures.push(`the server ended: ${server.errorOutput()}`)
    const growth = server.isUp() ? (await server.heapBytes()) - earlyHeapBytes : 0
    if (growth > growthBytesMax) failures.push(`the heap grew by ${growth} bytes`)
    if (server.errorOutput() !== "") failures.push(`the server wrote to stderr: ${server.errorOutput().slice(0, 500)}`)
    failures.push(...brokenInvariants(filesIn(folder).store))
    return {
      counts: {
        "requests answered": sent,
        "requests that the HTTP client refused to send": notSent,
        ...Object.fromEntries(
          [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => [`answers ${status}`, count])
        ),
        "KiB that the heap grew": Math.round(growth / 1024),
        seed
      },
      failures
    }
  } finally {
    agent.destroy()
    server.stop()
    removeFolder(folder)
  }
}

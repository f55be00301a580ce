/**
 * Kills the server without warning under load. Every 202 that a client received is stored afterwards. `pnpm faults kill` does the same with
 * an embedded core, many more times, and follows each delivery to its final status.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { expect, it } from "vitest"
import { readyToSend, request, serve } from "./commandLine.ts"

const cycles = 2
const senders = 8

it(`loses nothing it acknowledged over ${cycles} kills`, async () => {
  const data = mkdtempSync(join(tmpdir(), "killed-server-"))
  const { key } = await readyToSend(["--data", data])

  /** The acknowledged deliveries of every idempotency key with a 202. */
  const acknowledged = new Map<string, ReadonlyArray<string>>()
  /** Idempotency keys without a response. Only the disk has the result, and a retry shows it. */
  const unanswered = new Set<string>()
  let count = 0

  const post = async (url: string, idempotencyKey: string) => {
    const body = JSON.stringify({
      from: "a@example.com",
      to: [`${idempotencyKey}a@example.org`, `${idempotencyKey}b@example.org`],
      subject: "s",
      text: "t"
    })
    const { status, body: answer } = await request(url, key, "/emails/send", {
      method: "POST",
      body,
      headers: { "idempotency-key": idempotencyKey }
    })
    expect(status).toBe(202)
    return answer.data.deliveryIds as ReadonlyArray<string>
  }

  for (let cycle = 0; cycle < cycles; cycle++) {
    const server = await serve(["serve", "--data", data, "--port", "0"])
    const { url } = server.line
    for (const idempotencyKey of unanswered) acknowledged.set(idempotencyKey, await post(url, idempotencyKey))
    unanswered.clear()
    let stopped = false
    const sending = Array.from({ length: senders }, async () => {
      while (!stopped) {
        const idempotencyKey = `k${count++}`
        try {
          acknowledged.set(idempotencyKey, await post(url, idempotencyKey))
        } catch {
          unanswered.add(idempotencyKey)
          return
        }
      }
    })
    await wait(150 + Math.random() * 500)
    await server.kill("SIGKILL")
    stopped = true
    await Promise.all(sending)
  }

  const server = await serve(["serve", "--data", data, "--port", "0"])
  const { url } = server.line
  for (const idempotencyKey of unanswered) acknowledged.set(idempotencyKey, await post(url, idempotencyKey))
  expect(acknowledged.size).toBeGreaterThan(cycles * senders)

  // The same idempotency key returns the same deliveries, whichever process accepted the message.
  for (const [idempotencyKey, ids] of [...acknowledged].slice(-200))
    expect(await post(url, idempotencyKey)).toEqual(ids)

  const listed = new Set<string>()
  for (let cursor: string | null = ""; cursor !== null;) {
    const after = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const page = await request(url, key, `/emails/logs?limit=100${after}`)
    for (const { id } of page.body.data.items) listed.add(id)
    cursor = page.body.data.nextCursor
  }
  expect(listed).toEqual(new Set([...acknowledged.values()].flat()))
  expect(await server.kill("SIGTERM")).toBe(0)
  rmSync(data, { recursive: true })
})

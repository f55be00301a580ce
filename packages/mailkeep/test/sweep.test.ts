/**
 * The sweep of a serverless program.
 */
import { afterEach, expect, it, vi } from "vitest"
import { openQuiet, welcome } from "./testMail.ts"

const hourMillis = 3_600_000

afterEach(() => void vi.useRealTimers())

it("deletes what has expired, although the process has just begun", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const mail = await openQuiet({ retention: { messagesMillis: hourMillis } })
  await mail.send(welcome)
  await mail.tick()
  vi.setSystemTime(Date.now() + 2 * hourMillis)
  const late = await mail.send(welcome)
  await mail.tick()
  expect((await mail.deliveries.list()).items).toHaveLength(2)
  await mail.sweep()
  const left = (await mail.deliveries.list()).items
  expect(left.map(({ id }) => id)).toEqual(late.deliveryIds)
})

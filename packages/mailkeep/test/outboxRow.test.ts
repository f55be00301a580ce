import { expect, it } from "vitest"
import { makeOutboxRow, readPayload } from "../src/outbox/outboxRow.ts"

const message = { from: "hello@example.com", to: "ada@example.org", subject: "Hello", text: "Hi", idempotencyKey: "k" }

it("reads the payload of a row only when its version and its parts are known", () => {
  const payload = JSON.parse(makeOutboxRow(message, "prj_a", undefined).payload) as Record<string, unknown>
  expect(readPayload(payload)).toMatchObject({ projectId: "prj_a", message: { subject: "Hello" } })
  for (const change of [{ version: 2 }, { projectId: "a b" }, { message: null }, { options: null }])
    expect(readPayload({ ...payload, ...change })).toBeNull()
  for (const other of ["{", "[]", null, 5]) expect(readPayload(other)).toBeNull()
})

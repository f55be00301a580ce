/**
 * Lists of events whose messages have long bodies.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { project, withTestMail } from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import type { MailStoreShape, Query } from "../../../src/adapter.ts"
import { MailStore } from "../../../src/adapter.ts"
import { DeliveryLog } from "../../../src/index.ts"
import { eventRecord, message } from "../../decide/fixtures.ts"

/** A store that records how many messages each read returns. */
const watching = (read: Array<number>) =>
  Layer.effect(
    MailStore,
    Effect.map(MemoryMailStore.make, (store): MailStoreShape => ({
      ...store,
      read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => {
        read.push(queries.filter(({ _tag }) => _tag === "Message").length)
        return store.read(queries)
      }
    }))
  )

it("reads few messages at once for a list of events", () => {
  const read: Array<number> = []
  return withTestMail({ name: "watched", layer: watching(read) })(
    Effect.gen(function* () {
      const store = yield* MailStore
      const { data } = eventRecord()
      for (let n = 10; n < 40; n++) {
        const one = message({ id: `msg_${n}`, projectId: project, idempotencyKey: "" })
        const event = eventRecord({ id: `evt_${n}`, projectId: project, data: { ...data, messageId: one.id } })
        yield* store.commit([
          { _tag: "InsertMessage", message: one },
          { _tag: "AppendEvent", event }
        ])
      }
      const events = yield* (yield* DeliveryLog).listEvents(project)
      expect(events).toHaveLength(30)
      // Each can have two bodies of 2 MiB.
      expect(Math.max(...read)).toBe(4)
    })
  )
})

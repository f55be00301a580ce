/**
 * An event sender leaves the distribution of a project to another process, which has ended. It then distributes the event itself, also when its pause ends
 * while it reads.
 */
import { Conflict, MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { project, stopped, withTestMail } from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { Contacts, EventSender } from "../../../src/index.ts"

const otherProject = "prj_other"

/** A store in which the first distribution of `project` meets another process. The second read during the pause takes longer than the pause. */
const contendedStore = {
  name: "memory",
  layer: Layer.effect(
    MailStore,
    Effect.map(MemoryMailStore.make, (store) => {
      let isFirst = true
      let pausedReads = 0
      return {
        ...store,
        commit: ((changes) => {
          const isMet = changes.some((change) => change._tag === "DistributeEvent" && change.projectId === project)
          if (!isMet || !isFirst) return store.commit(changes)
          isFirst = false
          return Effect.fail(new Conflict({ at: 0, change: "DistributeEvent", reason: "NotFound" }))
        }) as typeof store.commit,
        read: ((queries) => {
          const isPaused = queries.length === 1 && queries[0]!._tag === "PendingEventDeliveries"
          return isPaused && ++pausedReads === 2 ? Effect.delay(store.read(queries), "30 millis") : store.read(queries)
        }) as typeof store.read
      }
    })
  )
}

it("distributes an event soon after a pause that ends while the sender reads", () =>
  withTestMail(contendedStore)(
    Effect.gen(function* () {
      const got: Array<string> = []
      const eventSender = yield* EventSender
      yield* eventSender.subscribe("audit", ({ data }) => void got.push(data.contact.email), ["contact.created"])
      const contacts = yield* Contacts
      yield* contacts.create(project, { email: "ada@example.org" })
      yield* contacts.create(otherProject, { email: "bob@example.org" })
      const running = yield* Effect.forkChild(eventSender.run)
      for (let millis = 0; millis < 200; millis += 5) yield* TestClock.adjust("5 millis")
      expect(got).toEqual(["bob@example.org", "ada@example.org"])
      yield* stopped(running)
    })
  ))

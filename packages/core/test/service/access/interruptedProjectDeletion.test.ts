/**
 * The deletion of a project that is interrupted at any commit.
 */
import { project, send, withTestMail } from "@mailkeep/test-support"
import { makeFailingStore } from "@mailkeep/test-support/failingStore"
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { DeliveryLog } from "../../../src/index.ts"
import { allRecordsOf, deleteProject, populate, recordsOf } from "./projectRecords.ts"

/** Each message has its deliveries, and each delivery its message. */
const expectWholeMessages = Effect.gen(function* () {
  const messages = yield* recordsOf("Message", project)
  const deliveries = yield* recordsOf("Delivery", project)
  const idsOf = (records: typeof messages) =>
    records.flatMap(({ kind, record }) => (kind === "Message" ? [record.id] : []))
  const messageIds = deliveries.flatMap(({ kind, record }) => (kind === "Delivery" ? [record.messageId] : []))
  expect(new Set(messageIds)).toEqual(new Set(idsOf(messages)))
  yield* (yield* DeliveryLog).list(project)
})

describe("an interrupted deletion", () => {
  it("leaves whole messages, accepts no send, and is finished by the next call, wherever it was interrupted", async () => {
    for (let commitsLeft = 0, isDone = false; !isDone; commitsLeft++) {
      const { store, allowCommits } = makeFailingStore()
      await withTestMail(store)(
        Effect.gen(function* () {
          yield* populate(project)
          allowCommits(commitsLeft)
          isDone = Exit.isSuccess(yield* Effect.exit(deleteProject))
          allowCommits(Number.POSITIVE_INFINITY)
          yield* expectWholeMessages
          if (commitsLeft > 0) expect(yield* Effect.exit(send("late"))).toMatchObject({ _tag: "Failure" })
          expect(yield* deleteProject).toMatchObject({ isComplete: true })
          expect(yield* allRecordsOf(project)).toEqual([])
        })
      )
      if (isDone) expect(commitsLeft).toBeGreaterThan(8)
    }
  })
})

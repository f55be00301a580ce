/**
 * The erasure of a person from a store whose messages have long bodies.
 */
import { project, send, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { MailStore } from "../../../src/adapter.ts"
import { Contacts } from "../../../src/index.ts"
import { message } from "../../decide/fixtures.ts"

/** A body of 2 MiB, the largest that a send may have. It needs twice the memory, because not all of its characters are Latin. */
const body = `€${"x".repeat(2 * 1024 * 1024 - 3)}`

it(
  "erases a person from a project with many messages that have the longest bodies",
  () =>
    withTestMail(stores[1])(
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* send("k", { to: "ada@example.org" })
        yield* tick
        for (let n = 0; n < 24; n++)
          yield* store.commit([
            {
              _tag: "InsertMessage",
              message: message({ id: `msg_${n}`, projectId: project, html: body, text: body, idempotencyKey: "" })
            }
          ])
        const report = yield* (yield* Contacts).erase(project, "ada@example.org")
        expect(report).toMatchObject({ isComplete: true, deleted: { Message: 1, Delivery: 1 } })
      })
    ),
  60_000
)

/**
 * The async context (`AsyncLocalStorage`) in which a mail runs the functions of the product.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { describe, expect, it, onTestFinished } from "vitest"
import { lazyMail, sqlite } from "../src/index.ts"
import { quiet, temporaryFile, welcome } from "./testMail.ts"

const requests = new AsyncLocalStorage<string>()

describe("the work in the background of a mail that the first request opens", () => {
  it.each([
    ["memory", () => ({})],
    ["SQLite", () => ({ store: sqlite(temporaryFile()) })]
  ])("runs outside of all requests, over %s", async (_, store) => {
    const seen: Array<string | undefined> = []
    let drains = 0
    const mail = requests.run("start", () =>
      lazyMail(
        quiet({
          ...store(),
          background: true,
          outbox: {
            take: () => {
              if (drains++ === 0) seen.push(requests.getStore())
              return []
            },
            remove: () => {},
            refuse: () => {}
          }
        })
      )
    )
    onTestFinished(mail.close)
    for (const request of ["first", "second"]) {
      const delivered = Promise.withResolvers<void>()
      const handler = () => {
        seen.push(requests.getStore())
        delivered.resolve()
      }
      await requests.run("start", () => mail.on("delivered", ["email.delivered"], handler))
      await requests.run(request, () => mail.send(welcome))
      await delivered.promise
    }
    expect(seen).toEqual(["start", "start", "start"])
  })
})

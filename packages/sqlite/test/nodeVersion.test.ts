import { describe, expect, it } from "vitest"
import { Effect } from "effect"
import { SqliteMailStore } from "../src/index.ts"
import { oldNodeSentence } from "../src/nodeVersion.ts"

describe("oldNodeSentence", () => {
  it.each([
    ["20.20.2", "9"],
    ["22.13.1", "9"],
    ["23.5.0", "9"],
    ["12.0.0", undefined]
  ])("refuses Node %s, which has no Node-API 10", (node, napi) => {
    expect(oldNodeSentence({ node, ...(napi === undefined ? {} : { napi }) })).toBe(
      `Mailkeep needs Node 22.19 or newer, and this is Node ${node}`
    )
  })

  it.each([
    ["22.14.0", "10"],
    ["23.6.0", "10"],
    ["24.21.0", "10"],
    ["26.0.0", "11"]
  ])("supports Node %s", (node, napi) => {
    expect(oldNodeSentence({ node, napi })).toBeUndefined()
  })
})

describe("opening the SQLite store on an old Node", () => {
  it("fails to open the SQLite store on an old Node, without a call of SQLite", async () => {
    const { napi } = process.versions
    Object.defineProperty(process.versions, "napi", { value: "9", configurable: true })
    try {
      const failure = await Effect.runPromise(
        Effect.flip(Effect.provide(Effect.void, SqliteMailStore.layer({ filename: "/nowhere/mail.db" })))
      )
      expect(failure).toMatchObject({ _tag: "StoreNotOpened", reason: "unsupported_runtime" })
      expect(failure.message).toMatch(/^Mailkeep needs Node 22\.19 or newer, .*: \/nowhere\/mail\.db$/)
    } finally {
      Object.defineProperty(process.versions, "napi", { value: napi, configurable: true })
    }
  })
})

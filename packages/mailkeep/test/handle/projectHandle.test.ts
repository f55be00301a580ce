/**
 * One suite for both implementations of `ProjectHandle`. Source: decision 0055.
 */
import { describe, expect, it } from "vitest"
import { contactCases } from "./contactCases.ts"
import { deliveryCases } from "./deliveryCases.ts"
import { formCases } from "./formCases.ts"
import { embedded, remote } from "./handleUnderTest.ts"
import { operations } from "../../../http/src/client/operations.ts"
import { sendingCases } from "./sendingCases.ts"
import { settingCases } from "./settingCases.ts"

const requests = new Set<string>()

describe.each([embedded, remote((method, path) => requests.add(`${method} ${path}`))])("$name", (handle) => {
  sendingCases(handle)
  deliveryCases(handle)
  contactCases(handle)
  settingCases(handle)
  formCases(handle)
})

describe("the suite", () => {
  it("calls every operation of the client over HTTP", () => {
    const called = [...requests]
    const missing = Object.entries(operations).flatMap(([id, { method, path }]) => {
      const pattern = new RegExp(`^${method} /api/v1${path.replaceAll(/:\w+/g, "[^/]+")}$`)
      return called.some((request) => pattern.test(request)) ? [] : [id]
    })
    expect(missing).toEqual([])
  })
})

/**
 * One suite for both implementations of `ProjectHandle`. Source: decision 0055.
 */
import { describe, expect, it } from "vitest"
import { embedded, remote } from "./handleUnderTest.ts"
import { batchCases } from "./batchCases.ts"
import { classInstanceCases, formCases, jsonValueCases, optionCases } from "./formCases.ts"
import { contactCases, contactPageCases, contactPropertyCases } from "./contactCases.ts"
import { contentCases, idempotencyCases, senderCases, sendingCases } from "./sendingCases.ts"
import { deliveryCases, deliveryPageCases } from "./deliveryCases.ts"
import { domainCases } from "./domainCases.ts"
import { listCases } from "./listCases.ts"
import { metadataCases, wrongMessageCases } from "./wrongMessageCases.ts"
import { propertyCases } from "./propertyCases.ts"
import { schedulingCases } from "./schedulingCases.ts"
import { segmentCases } from "./segmentCases.ts"
import { suppressionCases } from "./suppressionCases.ts"
import { templateCases, templateReadingCases, wrongTemplateCases } from "./templateCases.ts"
import { webhookCases } from "./webhookCases.ts"
import { operations } from "../../../http/src/client/operations.ts"

const suite = [
  sendingCases,
  contentCases,
  senderCases,
  idempotencyCases,
  wrongMessageCases,
  metadataCases,
  batchCases,
  schedulingCases,
  deliveryCases,
  deliveryPageCases,
  contactCases,
  contactPropertyCases,
  contactPageCases,
  listCases,
  propertyCases,
  segmentCases,
  suppressionCases,
  templateCases,
  templateReadingCases,
  wrongTemplateCases,
  domainCases,
  webhookCases,
  formCases,
  classInstanceCases,
  jsonValueCases,
  optionCases
]

const requests = new Set<string>()

describe.each([embedded, remote((method, path) => requests.add(`${method} ${path}`))])("$name", (handle) => {
  for (const cases of suite) cases(handle)
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

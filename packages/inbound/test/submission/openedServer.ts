/**
 * A submission server for one test, and a message that it accepts.
 */
import type { StoreUnderTest, TestMailOptions } from "@mailkeep/test-support"
import { onTestFinished } from "vitest"
import type { SmtpSubmissionOptions } from "../../src/index.ts"
import { messageOf, openSubmissionTestServer, validFields } from "../submissionTestServer.ts"

export const opened = async (
  options: Partial<SmtpSubmissionOptions> = {},
  mail: TestMailOptions = {},
  store?: StoreUnderTest
) => {
  const server = await openSubmissionTestServer(options, mail, store)
  onTestFinished(() => server.close())
  return server
}

export const valid = messageOf(validFields)

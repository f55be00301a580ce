/**
 * The issues of a refused call, and a time in the future, for the suite of handles.
 */
import { expect } from "vitest"
import { InvalidArgument } from "../../src/index.ts"
import { rejection } from "../testMail.ts"

export const inOneHour = () => new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000)

/** The issues of a refused call. */
export const issuesOf = async (call: Promise<unknown>) => {
  const failure = await rejection(call)
  expect(failure).toBeInstanceOf(InvalidArgument)
  const { issues, argument } = failure as InvalidArgument
  return { argument, issues: issues.map(({ path, code }) => [path.join("."), code]) }
}

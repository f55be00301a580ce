/**
 * Tests the copies of records.
 */
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { copied } from "../src/internal/copied.ts"

it("shares the bytes of contents, also those of another realm", () => {
  const record = { own: new Uint8Array(2), other: runInNewContext("new Uint8Array(2)") as Uint8Array, list: [{ n: 1 }] }
  const copy = copied(record)
  expect(copy.own).toBe(record.own)
  expect(copy.other).toBe(record.other)
  expect(copy).toEqual(record)
  expect(copy.list[0]).not.toBe(record.list[0])
})

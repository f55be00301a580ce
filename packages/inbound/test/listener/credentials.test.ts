/**
 * Tests of the responses during `AUTH`.
 */
import { describe, expect, it } from "vitest"
import { decodeResponse, parsePlain } from "../../src/listener/credentials.ts"

describe("decodeResponse", () => {
  it.each([
    ["=", ""],
    ["", ""],
    ["YXBpa2V5", "apikey"],
    ["YQ==", "a"],
    ["w6Q=", "ä"]
  ])("decodes the response %j", (response, text) => {
    expect(decodeResponse(response)).toBe(text)
  })

  it.each([["YQ"], ["YQ=a"], ["!!!!"], ["YQ== "], ["//79"], ["YXBp a2V5"]])(
    "returns nothing for %j, which is no base64 of UTF-8 text",
    (response) => {
      expect(decodeResponse(response)).toBe(undefined)
    }
  )
})

describe("parsePlain", () => {
  it.each([
    ["\0apikey\0secret", { user: "apikey", password: "secret" }],
    ["apikey\0apikey\0secret", { user: "apikey", password: "secret" }],
    ["\0\0", { user: "", password: "" }],
    ["other\0apikey\0secret", undefined],
    ["apikey\0secret", undefined],
    ["\0apikey\0secret\0more", undefined],
    ["", undefined]
  ])("parses or refuses the response %j to AUTH PLAIN", (response, credentials) => {
    expect(parsePlain(response)).toEqual(credentials)
  })
})

/**
 * The compression of bodies that never change, with a compression that the tests control.
 */
import { Effect, Exit } from "effect"
import { HttpServerResponse } from "effect/http"
import { describe, expect, it } from "vitest"
import { compressConstantsOnce, hasConstantBody, withConstantBody } from "../src/server/constantBody.ts"

const text = "a text of a page"

/** A compression that fails `failures` times and then returns the body in upper case. */
const openCompression = (failures = 0) => {
  let calls = 0
  const { compressResponse } = compressConstantsOnce({
    algorithms: new Set(["br", "gzip"]),
    compressResponse: (response) =>
      Effect.sync(() => {
        if (++calls <= failures) throw new Error("No memory is left.")
        return HttpServerResponse.text(text.toUpperCase(), { headers: response.headers })
      })
  })
  return { compressResponse, calls: () => calls }
}

const textOf = (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.toWeb(response).text()

describe("compressConstantsOnce", () => {
  it("compresses a constant body once by each algorithm, and keeps the header fields of each response", async () => {
    const { compressResponse, calls } = openCompression()
    const page = withConstantBody(HttpServerResponse.text(text))
    const responses = await Promise.all(
      (["br", "br", "gzip", "br"] as const).map((algorithm, n) =>
        Effect.runPromise(compressResponse(HttpServerResponse.setHeader(page, "x-request-id", String(n)), algorithm))
      )
    )
    expect(calls()).toBe(2)
    expect(responses.map(({ headers }) => [headers["x-request-id"], headers["content-encoding"]])).toEqual([
      ["0", "br"],
      ["1", "br"],
      ["2", "gzip"],
      ["3", "br"]
    ])
    for (const response of responses) expect(await textOf(response)).toBe(text.toUpperCase())
  })

  it("compresses any other body for each response", async () => {
    const { compressResponse, calls } = openCompression()
    const response = HttpServerResponse.text(text)
    expect(hasConstantBody(response)).toBe(false)
    await Effect.runPromise(compressResponse(response, "br"))
    await Effect.runPromise(compressResponse(response, "br"))
    expect(calls()).toBe(2)
  })

  it("compresses a constant body again after a failure", async () => {
    const { compressResponse } = openCompression(1)
    const page = withConstantBody(HttpServerResponse.text(text))
    expect(Exit.isFailure(await Effect.runPromiseExit(compressResponse(page, "br")))).toBe(true)
    expect(await textOf(await Effect.runPromise(compressResponse(page, "br")))).toBe(text.toUpperCase())
  })
})

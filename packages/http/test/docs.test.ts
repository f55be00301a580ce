/**
 * The docs page runs only its own scripts.
 */
import { createHash } from "node:crypto"
import { openTestMail, stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fetchHandler } from "../src/server/fetchHandler.ts"

describe("the docs page", () => {
  let get: (path: string, method?: string) => Promise<Response>
  let close: () => Promise<unknown>
  beforeAll(async () => {
    const core = await openTestMail(stores[0])
    const { handler, dispose } = fetchHandler(core)
    get = (path, method = "GET") => handler(new Request(`http://localhost${path}`, { method }))
    close = () => dispose().then(() => core.dispose())
  })
  afterAll(() => close())

  const policyOf = (response: Response): ReadonlyMap<string, string> =>
    new Map(
      response.headers
        .get("content-security-policy")!
        .split("; ")
        .map((directive) => [directive.split(" ")[0]!, directive.slice(directive.indexOf(" ") + 1)])
    )

  it("allows exactly the inline scripts of the docs page, each by its hash", async () => {
    for (const response of [await get("/docs"), await get("/docs")]) {
      const html = await response.text()
      const hashes = html
        .split("<script>")
        .slice(1)
        .map((rest) => `'sha256-${createHash("sha256").update(rest.split("</script>")[0]!).digest("base64")}'`)
      expect(hashes).toHaveLength(2)
      expect(policyOf(response).get("script-src")).toBe(hashes.join(" "))
      expect(html.replace(/<script>[\s\S]*?<\/script>/g, "").match(/<(?:script|link|style|img)|\son\w+=/)).toBeNull()
    }
  })

  it.each([
    ["/docs", "POST", "GET, HEAD"],
    ["/openapi.json", "DELETE", "GET, HEAD"],
    ["/unsubscribe/x", "PUT", "GET, HEAD, POST"]
  ])("answers 405 with Allow at %s for %s", async (path, method, allow) => {
    const response = await get(path, method)
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow])
  })

  it("forbids the docs page to load from another host and to be framed", async () => {
    const response = await get("/docs")
    const policy = policyOf(response)
    expect(policy.get("default-src")).toBe("'none'")
    expect([...policy.values()].join(" ")).not.toMatch(/https?:|\*|unsafe-eval/)
    expect(policy.get("script-src")).not.toContain("unsafe-inline")
    for (const directive of ["frame-ancestors", "base-uri", "form-action"]) expect(policy.get(directive)).toBe("'none'")
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff"
    })
    expect(await response.text()).toContain('"withDefaultFonts":false')
  })

  it.each(["/openapi.json", "/api/v1/emails/logs", "/nowhere"])(
    "forbids browsers to guess the content type of %s",
    async (path) => {
      expect((await get(path)).headers.get("x-content-type-options")).toBe("nosniff")
    }
  )
})

/**
 * What a product loads with the test kit.
 */
import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"

const code = `
  import { registerHooks } from "node:module"
  const loaded = new Set()
  registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.add(found.url); return found } })
  const { testMail } = await import("@mailkeep/testing")
  await import("@mailkeep/testing/matchers")
  const mail = testMail({ from: "hi@acme.example" })
  await mail.send({ to: "ada@example.org", subject: "Welcome", text: "Hello." })
  await mail.last().source()
  await mail.close()
  console.log(JSON.stringify([...loaded]))
`

it("loads no database and no test runner, and ends by itself after close", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: import.meta.dirname,
    encoding: "utf8",
    timeout: 120_000
  })
  const loaded = JSON.parse(output) as ReadonlyArray<string>
  expect(loaded.some((url) => url.includes("/packages/memory/"))).toBe(true)
  // The check of the version of Node is a part of the store, and loads nothing of it.
  const isOther = (url: string) => !url.endsWith("/packages/sqlite/src/nodeVersion.ts")
  const found = loaded.filter((url) => /better-sqlite3|packages\/sqlite|\/vitest\/|\/jest/.test(url))
  expect(found.filter(isOther)).toStrictEqual([])
})

/**
 * Tests of the reference page of the command, and of what the pages say about its variables.
 */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { commandPage } from "./commandPage.ts"

const source = new URL("../src/", import.meta.url)

describe("commandPage", () => {
  it("is the page docs/reference/command.md", async () => {
    await expect(await commandPage()).toMatchFileSnapshot("../../../docs/reference/command.md")
  })

  it("has a variable for each flag of serve but those that the README names", async () => {
    const [, serve = ""] = /^## mailkeep serve\n(.*?)^## /ms.exec(await commandPage()) ?? []
    const without = [...serve.matchAll(/^\| `(--[a-z-]+)[^|]*\|\s*\|/gm)].map(([, flag]) => flag)
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    const [, sentence = ""] = /Only ([^.]*) of `serve` have none/.exec(readme) ?? []
    expect(without).toHaveLength(3)
    expect([...sentence.matchAll(/`([^`]+)`/g)].map(([, flag]) => flag).toSorted()).toEqual(without.toSorted())
  })

  it("has --data and --store for each command but migrate and transport", async () => {
    const sections = (await commandPage()).split(/^## mailkeep /m).slice(1)
    const noStore = sections.filter((text) => !text.includes("| `--store ") && !text.includes("The flags are those of"))
    expect(noStore.map((text) => text.split("\n")[0])).toEqual(["migrate", "transport check"])
  })

  it("has every environment variable that the sources of the command read", async () => {
    const page = await commandPage()
    const code = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(new URL(file, source), "utf8"))
      .join("\n")
    const read = [
      ...[...code.matchAll(/fromEnvironment\("([A-Z_]+)"\)/g)].map(([, name]) => `MAILKEEP_${name}`),
      ...[...code.matchAll(/process\.env\["(MAILKEEP_[A-Z_]+)"\]/g)].map(([, name]) => name!)
    ]
    expect(read.length).toBeGreaterThan(10)
    expect(read.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})

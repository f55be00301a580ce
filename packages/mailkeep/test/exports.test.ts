/**
 * The types that a product can name. Without a name, a product that emits declarations gets TS2883 or TS2742 below the node_modules of pnpm.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const reportOf = (name: string): string => readFileSync(new URL(`../../../etc/${name}.api.md`, import.meta.url), "utf8")

/** The names of the entries of a report, such as "@mailkeep/core/handle". Without entries, those of all. */
const exportsOf = (report: string, ...entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const sections = report.split(/^## /m).filter((section) => {
    const title = section.slice(0, section.indexOf("\n"))
    return entries.length === 0 || entries.includes(title)
  })
  const lists = sections.flatMap((section) => [...section.matchAll(/^```text\n([^`]*)\n```/gm)])
  return new Set(lists.flatMap(([, names = ""]) => names.split("\n")))
}

/** The text of each interface and type of a report, without texts, names of fields and type parameters. */
const declarationsOf = (report: string): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    [...report.matchAll(/^(?:interface|type) (\w+)(?:<(.*?)>)?(?= =| \{| extends)[\s\S]*?(?=\n\n|\n```)/gm)].map(
      ([text, name = "", parameters = ""]) => {
        const words = new Set(text.replaceAll(/"[^"]*"|\w+\??:/g, "").match(/\w+/g))
        for (const [, parameter = ""] of `,${parameters}`.matchAll(/,\s*(\w+)/g)) words.delete(parameter)
        return [name, words]
      }
    )
  )

const core = reportOf("core")
const declarations = declarationsOf(core)
const exportedByCore = exportsOf(core)

/** A product gets only its fields, as those of an `AttachmentSummary`. */
const neverWhole: ReadonlySet<string> = new Set(["AttachmentRecord"])

/** The types of the core that the given types contain, at any depth. */
const containedIn = (roots: Iterable<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (name: string): void => {
    const words = declarations.get(name)
    if (words === undefined || found.has(name) || neverWhole.has(name)) return
    found.add(name)
    words.forEach(visit)
  }
  for (const root of roots) visit(root)
  return [...found].filter((name) => exportedByCore.has(name))
}

describe("API reports", () => {
  it.each([
    ["mailkeep", "mailkeep"],
    ["http", "@mailkeep/http/client"]
  ])("lists each type that a handle takes or returns, in the report %s of %s", (report, entry) => {
    const exported = exportsOf(reportOf(report), entry)
    const contained = containedIn(exportsOf(core, "@mailkeep/core/handle"))
    expect(contained).toEqual(expect.arrayContaining(["DnsRecord", "DeliveryEntry", "BouncedEventData"]))
    expect(contained.filter((name) => !exported.has(name))).toEqual([])
  })

  it.each([
    ["mailkeep", "mailkeep"],
    ["http", "@mailkeep/http/client"]
  ])("lists no function of a handle that the entry exports only as a type, in the report %s of %s", (report, entry) => {
    const exported = exportsOf(reportOf(report), entry)
    const functions = exportsOf(core, "@mailkeep/core/handle/calls")
    expect(functions).toContain("eachOfPages")
    expect([...functions].filter((name) => exported.has(name))).toEqual([])
  })

  it("lists each type of the options of a mail", () => {
    const exported = exportsOf(reportOf("mailkeep"), "mailkeep")
    const options = ["DispatcherOptions", "EventSenderOptions", "HandOffOptions", "HealthOptions", "HealthReport"]
    const contained = containedIn([...options, "MailHost", "RetentionOptions", "UnsubscribeOptions", "WebhooksOptions"])
    expect(contained.filter((name) => !exported.has(name))).toEqual([])
  })
})

/**
 * Tests of the API report and of the check of documentation comments, over a small package.
 */
import { writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { reportFile, reportsOf, sizeComplaints } from "../src/apiReport.ts"
import type { Entry } from "../src/apiReportProgram.ts"
import { sourceProgram } from "../src/apiReportProgram.ts"
import { docComplaints } from "../src/docComments.ts"
import { inExampleFolder } from "../src/examplesRun.ts"
import { root } from "../src/workspace.ts"

/** Writes the files of a package, whose entry is `index.ts`, and uses the entry. */
const withPackage = <A>(sources: Readonly<Record<string, string>>, use: (entry: Entry) => A): Promise<A> =>
  inExampleFolder((folder) => {
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source)
    return use({
      packageName: "@mailkeep/sample",
      isPublished: true,
      name: "@mailkeep/sample",
      file: relative(root, join(folder, "index.ts"))
    })
  })

const reportOf = (sources: Readonly<Record<string, string>>) =>
  withPackage(sources, (entry) => reportsOf([entry]).get("@mailkeep/sample")!)

const complaintsOf = (sources: Readonly<Record<string, string>>) =>
  withPackage(sources, (entry) =>
    docComplaints(sourceProgram([entry]).program, [entry]).map((complaint) =>
      complaint.replace(/^\S*\/(\w+\.ts)/, "$1")
    )
  )

const example = "@example\n * ```ts\n * console.log(1)\n * ```"

describe("apiReports", () => {
  it("lists the run-time names and the types of an entry", async () => {
    const { text, runtimeNames } = await reportOf({
      "index.ts":
        'export { b, a } from "./values.ts"\nexport type { C, D } from "./values.ts"\nexport * as all from "./values.ts"\n',
      "values.ts":
        "export const a = 1\nexport function b(): void {}\nexport interface C { readonly d: D }\nexport class D {}\n"
    })
    expect(runtimeNames).toEqual(new Map([["@mailkeep/sample", 3]]))
    expect(text).toContain("Run-time names: 3.\n\n```text\na\nall\nb\n```")
    expect(text).toContain("Types: 2.\n\n```text\nC\nD\n```")
  })

  it("shows declarations without bodies and comments, with inferred types and sorted unions", async () => {
    const { text } = await reportOf({
      "index.ts": [
        "/** Returns. */",
        'export const first = (flag: boolean) => (flag ? ("b" as const) : ("a" as const))',
        "export class Box { private readonly inner = 1; get size() { return this.inner } }"
      ].join("\n")
    })
    expect(text).toContain('const first: (flag: boolean) => "a" | "b";')
    expect(text).toContain("class Box {\n    private readonly inner;\n    get size(): number;\n}")
    expect(text).not.toContain("Returns.")
  })

  it("shows the base of a service and the name of a failure", async () => {
    const { text } = await reportOf({
      "index.ts": [
        'import { Context, Data } from "effect"',
        'export class Clock extends Context.Service<Clock, { readonly now: () => number }>()("Clock") {}',
        'export class Late extends Data.TaggedError("Late")<{ readonly by: number }> {}'
      ].join("\n")
    })
    expect(text).toContain(
      'const Clock_base: Context.ServiceClass<Clock, "Clock", {\n    readonly now: () => number;\n}>;'
    )
    expect(text).toContain('class Late extends TaggedError("Late")<{\n    readonly by: number;\n}> {\n}')
  })

  it("lists what the declarations use and the entry does not export", async () => {
    const { text, forgotten } = await reportOf({
      "index.ts": 'export { make } from "./make.ts"\n',
      "make.ts":
        "interface Inner { readonly n: number }\nexport interface Made { readonly inner: Inner }\nexport const make = (): Made => ({ inner: { n: 1 } })\n"
    })
    expect(forgotten).toEqual(["Inner", "Made"])
    expect(text).toMatch(/- `Made` of \S+\/make\.ts, used by `make`/)
    expect(text).toMatch(/- `Inner` of \S+\/make\.ts, used by `Made`/)
  })

  it("complains when the core has more than 80 run-time names", () => {
    const report = (count: number) =>
      new Map([["@mailkeep/core", { runtimeNames: new Map([["@mailkeep/core", count]]), forgotten: [], text: "" }]])
    expect(sizeComplaints(report(80))).toEqual([])
    expect(sizeComplaints(report(81))).toEqual(["@mailkeep/core: has 81 run-time names; 80 is the maximum"])
  })

  it("names the file of a report after the package", () => {
    expect(["@mailkeep/core", "mailkeep"].map(reportFile)).toEqual(["etc/core.api.md", "etc/mailkeep.api.md"])
  })
})

describe("docComplaints", () => {
  it("allows an entry whose exports all have comments", async () => {
    const source = `/**\n * Numbers.\n *\n * ${example}\n */\n\n/** One. */\nexport const one = 1\n`
    expect(await complaintsOf({ "index.ts": source })).toEqual([])
  })

  it("complains about an export without a comment, at its declaration", async () => {
    const complaints = await complaintsOf({
      "index.ts": `/**\n * Numbers.\n *\n * ${example}\n */\nexport { one } from "./one.ts"\n`,
      "one.ts": '/** Numbers. */\nimport "node:fs"\nexport const one = 1\n'
    })
    expect(complaints).toEqual(["one.ts:3 one: has no comment"])
  })

  it("complains about a method of a service and about a service without an example", async () => {
    const complaints = await complaintsOf({
      "index.ts": [
        `/**\n * A clock.\n *\n * ${example}\n */`,
        'import { Context } from "effect"',
        "/** Reads the time. */",
        "export class Clock extends Context.Service<Clock, {",
        "  readonly now: () => number",
        "  /** The zone. */",
        "  readonly zone: string",
        '}>()("Clock") {',
        "  static readonly layer = 1",
        "}"
      ].join("\n")
    })
    expect(complaints).toEqual([
      "index.ts:11 Clock: has no @example with a ts block",
      "index.ts:12 Clock.now: has no comment",
      "index.ts:16 Clock.layer: has no comment"
    ])
  })

  it("complains about a field of an input and not about a field of a record", async () => {
    const complaints = await complaintsOf({
      "index.ts": [
        `/**\n * Fields.\n *\n * ${example}\n */\n`,
        "/** Input. */",
        "export interface MakeInput {\n  readonly a?: string\n}",
        "/** A record. */",
        "export interface Made {\n  readonly a: string\n}"
      ].join("\n")
    })
    expect(complaints).toEqual(["index.ts:12 MakeInput.a: has no comment"])
  })

  it("complains about an entry whose first comment has no example", async () => {
    expect(await complaintsOf({ "index.ts": "/** One. */\nexport const one = 1\n" })).toEqual([
      "index.ts:1 @mailkeep/sample: its first comment has no @example with a ts block"
    ])
  })
})

/**
 * Every command line of the documentation is one that the command accepts.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { describedCommands } from "./commandPage.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const pages = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "examples/*/README.md"], { cwd: root })

/** The command lines of a page, each without the word `mailkeep`: those of its blocks for the shell, and those within a sentence. */
const commandLines = (text: string): ReadonlyArray<string> => {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block!.replaceAll("\\\n", " "))
  const inText = [...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
  return [...blocks, ...inText].flatMap((code) =>
    [...code.matchAll(/(?:^|\bnpx |&& )mailkeep +([a-z][^\n|&;]*)/gm)].map(([, line]) => line!)
  )
}

const commands = (await describedCommands()).map(({ path, doc }) => ({
  name: path.join(" "),
  flags: new Set(["help", "version", "log-level", ...doc.flags.map(({ name }) => name)])
}))

/** What the command would not accept of the line, or `undefined`. `mailkeep domains` names a group of commands. */
const problemOf = (line: string): string | undefined => {
  const command = commands.find(({ name }) => `${line} `.startsWith(`${name} `))
  const flags = [...line.matchAll(/(?<=\s\[?)--([a-z-]+)/g)].map(([, flag]) => flag!)
  if (command === undefined)
    return commands.some(({ name }) => name.startsWith(`${line} `)) ? undefined : `no command: ${line}`
  const unknown = flags.filter((flag) => !command.flags.has(flag))
  return unknown.length === 0 ? undefined : `no flag --${unknown.join(", --")}: ${line}`
}

describe("the documentation", () => {
  it("contains only commands and flags that exist", () => {
    const lines = pages.flatMap((page) =>
      commandLines(readFileSync(join(root, page), "utf8")).map((line) => [page, line.trim()] as const)
    )
    expect(lines.length).toBeGreaterThan(30)
    expect(lines.flatMap(([page, line]) => problemOf(line)?.concat(` (${page})`) ?? [])).toEqual([])
  })

  it("runs the installed command, and not the one of a clone", () => {
    expect(pages.filter((page) => /pnpm(@\d+)? mailkeep/.test(readFileSync(join(root, page), "utf8")))).toEqual([])
  })

  it.each([
    ["domains add acme.example --verified", undefined],
    ["domains", undefined],
    ["domains create acme.example", "no command: domains create acme.example"],
    ["keys create --perm email.send", "no flag --perm: keys create --perm email.send"],
    ["logs [--folow]", "no flag --folow: logs [--folow]"]
  ])("finds a command or a flag that does not exist, if there is one: %s", (line, problem) => {
    expect(problemOf(line)).toBe(problem)
  })
})

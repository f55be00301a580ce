/**
 * Tests where the command complains about wrong arguments.
 */
import { expect, it } from "vitest"
import { run } from "./commandLine.ts"

it.each([
  [["serve", "--prot", "1"], "Unrecognized flag: --prot"],
  [["contacts", "export", "--project", "prj_x", "--limit", "5"], "Unrecognized flag: --limit"],
  [["logs", "--limit", "101", "--project", "prj_x", "--json"], 'Invalid value for flag --limit: "101"'],
  [["logs", "--json"], "Missing required flag: --project"],
  [["keys", "lst"], 'Unknown subcommand "lst"']
])("writes nothing to standard output for the wrong arguments %j", async (args, complaint) => {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toContain("USAGE")
  expect(stderr).toContain(complaint)
})

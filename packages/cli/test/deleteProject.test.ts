/**
 * `mailkeep projects delete`: afterwards no table of the store file has the project.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { run, runJson } from "./commandLine.ts"
import { tablesWith } from "./tablesWith.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-delete-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const inProject = (project: string) => ["--data", folder, "--project", project]

it("deletes a project from every table of the store, and keeps another project", async () => {
  for (const project of ["prj_gone", "prj_kept"]) {
    const here = inProject(project)
    await runJson(["domains", "add", "example.com", ...here, "--verified"])
    await runJson(["contacts", "add", "ada@example.org", ...here])
    await runJson([
      "send",
      ...here,
      "--from",
      "hello@example.com",
      "--to",
      "ada@example.org",
      "--subject",
      "Hi",
      "--text",
      "Hi"
    ])
  }
  expect(tablesWith(folder, "prj_gone").length).toBeGreaterThan(4)
  const kept = tablesWith(folder, "prj_kept")
  const report = await runJson(["projects", "delete", "prj_gone", "--data", folder])
  expect(report).toMatchObject({ isComplete: true, underWay: 0, deleted: { Project: 1, Message: 1, Contact: 1 } })
  expect(tablesWith(folder, "prj_gone")).toEqual([])
  expect(tablesWith(folder, "prj_kept")).toEqual(kept)
  const { code, stdout, stderr } = await run(["projects", "delete", "prj_gone", "--data", folder])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toMatch(/Message +0\n/)
  expect(stdout).toContain("prj_gone deleted")
})

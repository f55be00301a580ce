import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { freezeLoop } from "../src/freeze/freezeLoop.ts"

const program = join(tmpdir(), `mailkeep-freeze-${process.pid}.mjs`)

afterEach(() => rmSync(program, { force: true }))

describe("freezeLoop", () => {
  it("fails when a product ends before it has handed off mail", async () => {
    writeFileSync(
      program,
      `if (JSON.parse(process.argv[2]).name === "b") {
        console.error("The port is taken.")
        process.exitCode = 3
      } else {
        setInterval(() => {}, 1000)
      }`
    )
    const { failures, counts } = await freezeLoop({ cycles: 5 }, program)
    expect(failures).toEqual(["the product b ended with 3 in the middle of the run: The port is taken.\n"])
    expect(counts["freezes"]).toBe(0)
  })
})

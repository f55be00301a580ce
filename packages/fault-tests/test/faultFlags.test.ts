import { describe, expect, it } from "vitest"
import { readFlags } from "../src/faultFlags.ts"

describe("readFlags", () => {
  it("takes the amount of CI without a flag, and twenty times as much with --long", () => {
    expect(readFlags([]).amount("cycles", 60)).toBe(60)
    expect(readFlags(["--long"]).amount("cycles", 60)).toBe(1200)
    expect(readFlags(["--long", "--cycles", "3"]).amount("cycles", 60)).toBe(3)
  })

  it.each(["ten", "1e", "1x", "0", "-3", "2.5", ""])("refuses --seeds=%s, which would test nothing", (value) => {
    expect(() => readFlags([`--seeds=${value}`])).toThrow(`--seeds must be a whole number from 1, and not "${value}".`)
  })

  it("accepts 0 as a seed, and refuses a text", () => {
    expect(readFlags(["--seed", "0"]).seed).toBe(0)
    expect(() => readFlags(["--seed", "1x"])).toThrow('--seed must be a whole number from 0, and not "1x".')
  })

  it("names a flag that does not exist", () => {
    expect(() => readFlags(["--cycle", "3"])).toThrow("--cycle")
  })
})

import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { endChild, hasEnded } from "../src/childEnd.ts"

const startChild = () => spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" })

describe("endChild", () => {
  it("ends a child that runs", async () => {
    const child = startChild()
    expect(hasEnded(child)).toBe(false)
    await endChild(child, "SIGTERM")
    expect([hasEnded(child), child.signalCode]).toEqual([true, "SIGTERM"])
  })

  it("does not wait for a child that another signal has ended", async () => {
    const child = startChild()
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
    await endChild(child, "SIGTERM")
    expect([child.exitCode, child.signalCode]).toEqual([null, "SIGKILL"])
  })
})

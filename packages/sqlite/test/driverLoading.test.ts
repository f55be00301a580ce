import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { filesOfEachTest } from "./openedFile.ts"

const { file } = filesOfEachTest()

/** Runs a module in a process of its own, because the fault ends the process. Returns what it prints. */
const run = (code: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: import.meta.dirname,
    env: { ...process.env, STORE: file() },
    encoding: "utf8",
    timeout: 60_000
  })

/** Starts a thread that loads the driver, and calls `use` while the driver loads. */
const whileLoading = (use: string): string => `
  import { Worker } from "node:worker_threads"
  import { beginLoading, endLoading, whenLoaded } from "../src/internal/thread/driverLoading.ts"
  const code = \`
    import { parentPort, workerData } from "node:worker_threads"
    parentPort.postMessage("begins")
    const until = performance.now() + 300
    while (performance.now() < until);
    Atomics.store(workerData, 0, 1)
    Atomics.notify(workerData, 0)
  \`
  const loading = beginLoading()
  const thread = new Worker(code, { eval: true, workerData: loading })
  thread.on("exit", () => endLoading(loading))
  await new Promise((resolve) => thread.once("message", resolve))
  ${use}
`

describe("a thread that loads the driver", () => {
  it("is waited for until it has loaded the driver", () => {
    expect(
      run(
        whileLoading(
          "const before = Atomics.load(loading, 0); await whenLoaded(loading); console.log(before, Atomics.load(loading, 0))"
        )
      )
    ).toBe("0 1\n")
  })

  it("is waited for when the process ends", () => {
    const code = whileLoading("process.on('exit', () => console.log(Atomics.load(loading, 0))); process.exit()")
    expect(run(code)).toBe("1\n")
  })

  it("is not waited for when it has ended", () => {
    const code = `
      import { beginLoading, endLoading, whenLoaded } from "../src/internal/thread/driverLoading.ts"
      const loading = beginLoading()
      endLoading(loading)
      await whenLoaded(loading)
      console.log(process.listenerCount("exit"))
    `
    expect(run(code)).toBe("0\n")
  })

  it("does not end the process when the store closes at once", () => {
    const code = `
      import { Effect } from "effect"
      import { SqliteMailStore } from "../src/index.ts"
      const scan = { _tag: "WorkHealth", now: 0 }
      for (let n = 0; n < 20; n++)
        await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: process.env.STORE })
          yield* Effect.forkScoped(store.read([scan]))
          yield* Effect.sleep(n * 4)
        })))
      console.log("closed")
    `
    expect(run(code)).toBe("closed\n")
  })
})

import { existsSync, statfsSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"
import { bundledCommand } from "./src/bundledCommand.ts"
import { bundledThreads } from "./src/bundledThreads.ts"
import { setupFiles, testFiles, testReport } from "./src/testReport.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * The test files with a process of their own. All other files share three processes, so that Effect and the sources are loaded three times and
 * not once for each file. A file belongs here when it changes something of its process, or measures it.
 */
const ownProcess: ReadonlyArray<string> = [
  // These keep child processes and connections until their process ends. They take the longest, in this order, so they start first.
  "packages/sqlite/test/conformance.test.ts",
  "packages/postgres/test/joinedTransaction.conformance.test.ts",
  "packages/postgres/test/conformance.test.ts",
  "packages/postgres/test/bouncer.conformance.test.ts",
  "packages/sqlite/test/callerThread.conformance.test.ts",
  "packages/sqlite/test/joinedTransaction.conformance.test.ts",
  "packages/conformance/test/mutants.test.ts",
  "packages/conformance/test/example.test.ts",
  // Empties the cache of modules.
  "packages/mailkeep/test/sharedMail.test.ts",
  // Count the threads that the process starts.
  "packages/sqlite/test/commitThread.test.ts",
  "packages/sqlite/test/scanThread.test.ts",
  // Changes the file mode mask of the process.
  "packages/sqlite/test/opening.test.ts",
  // Sets a proxy in the environment of the process.
  "packages/webhooks/test/addresses.test.ts",
  // Stop every clock of the process.
  "packages/mailkeep/test/logging.test.ts",
  "packages/testing/test/fakeTimers.test.ts",
  "packages/testing/test/testMail.test.ts"
]

/** The longest files of the shared processes. These processes start with them. */
const sharedFirst: ReadonlyArray<string> = [
  "packages/fault-tests/test/simulation.test.ts",
  "packages/core/test/service/store/moveLargeRecords.test.ts",
  "packages/fault-tests/test/crashPoints.test.ts"
]

const startOrder = [...ownProcess, ...sharedFirst]

const missing = startOrder.filter((file) => !existsSync(join(root, file)))
if (missing.length > 0) throw new Error(`There is no test file ${missing.join(", ")}.`)

/** A file system in memory, where Linux has one. */
const memoryFolder = "/dev/shm"
const memoryFolderBytesMin = 4 * 2 ** 30

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** The tests sync their stores thousands of times. In memory that takes no time, and nothing here depends on a real disk: the fault runs do. */
const temporaryFolder =
  process.env["TMPDIR"] === undefined && existsSync(memoryFolder) && freeBytes(memoryFolder) >= memoryFolderBytesMin
    ? { TMPDIR: memoryFolder }
    : {}

/** A long run of the properties: `PROPERTY_RUNS=10000 pnpm test domain`. */
const hasManyRuns = process.env["PROPERTY_RUNS"] !== undefined
const propertyRuns = fileURLToPath(new URL("./src/propertyRuns.ts", import.meta.url))

/** Starts the files with a process of their own in the order of their list, and then the longest of the others. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is the method of the sequencer, not of an array.
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const place = startOrder.indexOf(relative(root, moduleId).replaceAll("\\", "/"))
      return place < 0 ? startOrder.length : place
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  root,
  plugins: [testReport(root), bundledCommand, bundledThreads],
  test: {
    // Many tests start the command or a worker: Node keeps what it has compiled.
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile"), ...temporaryFolder },
    // Two cores, and a third worker for the time that the others wait for a server or another process.
    maxWorkers: 3,
    // Most objects of a test die young. With more space for them, V8 collects less often: 3 % of the processor's time.
    execArgv: ["--max-semi-space-size=64"],
    setupFiles: hasManyRuns ? [...setupFiles, propertyRuns] : [...setupFiles],
    sequence: { sequencer: LongestFirst },
    testTimeout: hasManyRuns ? 3_600_000 : 120_000,
    // A forgotten `it.only` would leave out the other tests of its file.
    allowOnly: false,
    // A test without an assertion proves nothing, so it fails.
    expect: { poll: { timeout: 60_000 }, requireAssertions: true },
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: { name: "own process", include: [...ownProcess], isolate: true }
      },
      {
        extends: true,
        test: {
          name: "shared process",
          include: [testFiles],
          exclude: ["**/node_modules/**", ...ownProcess],
          isolate: false
        }
      }
    ]
  }
})

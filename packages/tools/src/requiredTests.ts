/**
 * Checks that tests exist where every file or adapter needs one: each decision has a test of its own, and each adapter runs the laws of its port.
 */
import { importsOf } from "./importsOf.ts"
import { adapters } from "./layers.ts"
import { files, read } from "./workspace.ts"

/** A complaint when no test of an adapter runs the laws of its port. `tests` are the sources of the adapter's tests. */
export const unproven = (adapter: string, tests: ReadonlyArray<string>): ReadonlyArray<string> =>
  tests.some(
    (source) =>
      importsOf(source).some((name) => name.startsWith("@mailkeep/conformance/")) && /\bconforms\(/.test(source)
  )
    ? []
    : [`packages/${adapter}: no test runs the laws of its port; see docs/adapters/prove-it.md`]

/** The test file of a file with decisions. The folders of the sources and of the tests are the same. */
const testOf = (file: string): string => file.replace("/src/", "/test/").replace(/\.ts$/, ".test.ts")

/** A file with a decision is named after its function; `Decision.ts` has the type of all decisions. */
const hasDecision = (file: string): boolean => /\/[a-z][^/]*$/.test(file)

/** Complaints about files of `core/decide` without a test file of the same name. */
export const untestedDecisions = (
  sources: ReadonlyArray<string>,
  tests: ReadonlyArray<string>
): ReadonlyArray<string> =>
  sources
    .filter((file) => hasDecision(file) && !tests.includes(testOf(file)))
    .map((file) => `${file}: has no test of its own; add ${testOf(file)}`)

export const requiredTestComplaints = (): ReadonlyArray<string> => [
  ...adapters.flatMap((adapter) => unproven(adapter, files(`packages/${adapter}/test/**/*.ts`).map(read))),
  ...untestedDecisions(files("packages/core/src/decide/**/*.ts"), files("packages/core/test/decide/**/*.test.ts"))
]

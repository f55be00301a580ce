/**
 * The stores whose sources are mutated, and the mutants of each.
 */
import { files, read } from "../workspace.ts"
import type { Mutant } from "./Mutant.ts"
import { mutantsOf } from "./Mutant.ts"
import type { SharedServer } from "./postgresOfMutants.ts"
import { startPostgresOfMutants } from "./postgresOfMutants.ts"
import type { sqlDialects } from "./sqlDialects.ts"
import { sourceEdits } from "./sourceEdits.ts"

export interface Subject {
  /** The files that are mutated. */
  readonly files: ReadonlyArray<string>
  /** The module that exports the store. */
  readonly entry: string
  /** The folders whose modules are loaded once for each mutant. */
  readonly folders: ReadonlyArray<string>
  /** The language of the texts of the files, if they contain SQL. */
  readonly sql: keyof typeof sqlDialects | null
  /** Modules that are replaced by another module, for a faster run. */
  readonly replaced?: Readonly<Record<string, string>>
  /** Starts what all mutants of a run share. */
  readonly start?: () => Promise<SharedServer>
  /** The part of a sample that this store gets. Default: 1. A mutant of a slow store takes longer. */
  readonly sampleShare?: number
  /** The laws that are not run. */
  readonly without: ReadonlySet<string>
}

const differential = "differential/no-script-finds-a-difference"

/**
 * Files of the SQLite adapter that no law can observe. They open the file, convert failures of the disk, keep the threads for commits and for
 * long reads, divide large commits, and work with connections of the product. The tests of the package check them, with full disks, moved files and other versions.
 */
const unobservedOfSqlite: ReadonlySet<string> = new Set(
  [
    "connection",
    "fileCheck",
    "joinedTransaction",
    "migrations",
    "openConnection",
    "productConnections",
    "resultCodes",
    "sqliteFailure",
    "stagedCommit",
    "stagedContents",
    "thread/commitThread",
    "thread/commitWorker",
    "thread/driverLoading",
    "thread/replies",
    "thread/scanThread",
    "thread/scanWorker",
    "thread/workerThread",
    "transactionEnd"
  ].map((name) => `packages/sqlite/src/internal/${name}.ts`)
)

/**
 * Files of the PostgreSQL adapter that no law can observe. They open pools, send statements on a connection and name them, discard plans, migrate, divide
 * tables, name missing rights and listen. Others convert failures of the server, compare versions, wait long for locks of others, and work with rate limits
 * or with transactions of the product. The tests of the package check them.
 */
const unobservedOfPostgres: ReadonlySet<string> = new Set(
  [
    "database",
    "databaseClock",
    "driverClient",
    "failingInConnect",
    "joinConditions",
    "joinedClients",
    "joinedTransaction",
    "knownBuckets",
    "migrations",
    "missingRights",
    "notifications",
    "oldPlans",
    "openPool",
    "openTables",
    "openingFailure",
    "partitions",
    "postgresFailure",
    "rateBuckets",
    "sendTogether",
    "serverSettings",
    "sharedRateLimiter",
    "sqlStates",
    "statementNames",
    "tableVersion",
    "transactionEnd",
    "write/blockedCommits"
  ].map((name) => `packages/postgres/src/internal/${name}.ts`)
)

export const subjects = {
  /** Without the differential law, because the memory store is itself the reference. */
  memory: {
    files: files("packages/memory/src/**/*.ts"),
    entry: "packages/memory/src/index.ts",
    folders: ["packages/memory/"],
    sql: null,
    without: new Set([differential])
  },
  /** The functions of the domain with which the memory store answers queries. */
  reference: {
    files: [
      "store/queryReference",
      "store/Paging",
      "store/textSearch",
      "delivery/LogFilters",
      "contact/ContactPredicate"
    ].map((name) => `packages/core/src/domain/${name}.ts`),
    entry: "packages/memory/src/index.ts",
    folders: ["packages/memory/", "packages/core/src/"],
    sql: null,
    without: new Set([differential])
  },
  sqlite: {
    files: files("packages/sqlite/src/internal/**/*.ts", "packages/sqlite/src/SqliteMailStore.ts").filter(
      (file) => !unobservedOfSqlite.has(file)
    ),
    entry: "packages/sqlite/test/callerThreadUnderTest.ts",
    folders: ["packages/sqlite/"],
    sql: "sqlite",
    sampleShare: 0.8,
    replaced: { "packages/sqlite/src/internal/thread/scanThread.ts": "packages/tools/src/mutation/scanInProcess.ts" },
    without: new Set<string>()
  },
  postgres: {
    files: files("packages/postgres/src/internal/**/*.ts", "packages/postgres/src/PostgresMailStore.ts").filter(
      (file) => !unobservedOfPostgres.has(file)
    ),
    entry: "packages/postgres/test/storeUnderTest.ts",
    folders: ["packages/postgres/"],
    sql: "postgres",
    sampleShare: 0.2,
    start: startPostgresOfMutants,
    without: new Set<string>()
  }
} as const satisfies Readonly<Record<string, Subject>>

export type SubjectName = keyof typeof subjects

/** All mutants of a subject, in a fixed order. */
export const listMutants = (name: SubjectName): ReadonlyArray<Mutant> => {
  const { files, sql } = subjects[name]
  return files
    .flatMap((file) => {
      const source = read(file)
      return mutantsOf(file, source, sourceEdits(file, source, sql))
    })
    .map((mutant, number) => ({ ...mutant, number }))
}

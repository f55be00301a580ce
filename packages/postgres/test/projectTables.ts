/**
 * The tables that have a column for the project.
 */

/** Reads the names from the statements that create the tables. */
export const tablesWithProject = (statements: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    statements.flatMap((sql) =>
      [...sql.matchAll(/CREATE TABLE \w+\.(\w+) \((.*?)\n\)/gs)].flatMap(([, name, columns]) =>
        columns!.includes("\n  project_id ") ? [name!] : []
      )
    )
  )

/**
 * Finds the tables that a statement reads or changes without naming the project. A part of a statement names the project of a table when a condition
 * compares the column `project_id` with a value. The value can be a column of another table that names the project.
 */
import { parse } from "libpg-query"

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const nodesOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? (value as ReadonlyArray<unknown>) : []

/** The content of a node of one kind, such as `{ ColumnRef: … }`, or `undefined`. */
const contentOf = (node: unknown, kind: string): Node | undefined =>
  isNode(node) && isNode(node[kind]) ? (node[kind] as Node) : undefined

const textOf = (node: unknown): string => String(contentOf(node, "String")?.["sval"] ?? "")

/** A use of a table in a part of a statement. */
export interface TableUse {
  readonly table: string
  /** The columns that are compared with a value. */
  readonly comparedColumns: ReadonlyArray<string>
}

interface Level {
  /** The tables with a project by alias. */
  readonly tables: ReadonlyMap<string, string>
  /** The aliases of all sources of rows of this part. */
  readonly aliases: ReadonlySet<string>
  readonly conditions: ReadonlyArray<unknown>
}

const withoutCasts = (node: unknown): unknown => {
  const cast = contentOf(node, "TypeCast")
  return cast === undefined ? node : withoutCasts(cast["arg"])
}

/** The conditions that must all hold. */
const conjuncts = (node: unknown): ReadonlyArray<unknown> => {
  const both = contentOf(node, "BoolExpr")
  return both?.["boolop"] === "AND_EXPR" ? nodesOf(both["args"]).flatMap(conjuncts) : node === undefined ? [] : [node]
}

/** The sources of rows below `FROM`, and the conditions of inner joins. */
const sourcesOf = (
  from: unknown
): { readonly sources: ReadonlyArray<unknown>; readonly on: ReadonlyArray<unknown> } => {
  const join = contentOf(from, "JoinExpr")
  if (join === undefined) return { sources: [from], on: [] }
  const [left, right] = [sourcesOf(join["larg"]), sourcesOf(join["rarg"])]
  return {
    sources: [...left.sources, ...right.sources],
    on: [...left.on, ...right.on, ...conjuncts(join["quals"])]
  }
}

const aliasOf = (source: Node): string | undefined => {
  const alias = source["alias"]
  const named = isNode(alias) ? alias["aliasname"] : source["relname"]
  return typeof named === "string" ? named : undefined
}

const levelOf = (
  relation: unknown,
  from: ReadonlyArray<unknown>,
  where: unknown,
  projectTables: ReadonlySet<string>
): Level => {
  const parts = from.map(sourcesOf)
  const sources = [...(isNode(relation) ? [{ RangeVar: relation }] : []), ...parts.flatMap(({ sources }) => sources)]
  const tables = new Map<string, string>()
  const aliases = new Set<string>()
  for (const source of sources) {
    const content = isNode(source) ? Object.values(source).find(isNode) : undefined
    const alias = content === undefined ? undefined : aliasOf(content)
    if (content === undefined || alias === undefined) continue
    aliases.add(alias)
    // A name without a schema is that of a common table expression.
    const table = content["relname"]
    if (typeof table === "string" && content["schemaname"] !== undefined && projectTables.has(table))
      tables.set(alias, table)
  }
  return { tables, aliases, conditions: [...parts.flatMap(({ on }) => on), ...conjuncts(where)] }
}

interface Column {
  readonly alias: string
  readonly column: string
}

const columnOf = (node: unknown, { aliases }: Level): Column | undefined => {
  const fields = nodesOf(contentOf(withoutCasts(node), "ColumnRef")?.["fields"]).map(textOf)
  const column = fields.at(-1)
  if (column === undefined) return undefined
  const [only] = aliases
  return { alias: fields.length > 1 ? fields.at(-2)! : aliases.size === 1 ? only! : "", column }
}

/** The pairs of expressions that a condition compares for equality. A comparison with a list or a subquery has no right side. */
const equalities = (condition: unknown): ReadonlyArray<readonly [unknown, unknown]> => {
  const compared = contentOf(condition, "A_Expr")
  if (compared !== undefined && textOf(nodesOf(compared["name"])[0]) === "=") {
    if (compared["kind"] === "AEXPR_OP_ANY" || compared["kind"] === "AEXPR_IN") return [[compared["lexpr"], undefined]]
    if (compared["kind"] !== "AEXPR_OP") return []
    const [left, right] = [contentOf(compared["lexpr"], "RowExpr"), contentOf(compared["rexpr"], "RowExpr")]
    return left === undefined
      ? [[compared["lexpr"], compared["rexpr"]]]
      : nodesOf(left["args"]).map((one, n) => [one, nodesOf(right?.["args"])[n]])
  }
  const within = contentOf(condition, "SubLink")
  if (within?.["subLinkType"] !== "ANY_SUBLINK") return []
  const row = contentOf(within["testexpr"], "RowExpr")
  return (row === undefined ? [within["testexpr"]] : nodesOf(row["args"])).map((one) => [one, undefined])
}

/** The uses of tables of one part that do not name the project. */
const unscopedIn = (level: Level): ReadonlyArray<TableUse> => {
  const compared = new Map([...level.tables.keys()].map((alias) => [alias, new Set<string>()]))
  const links: Array<readonly [string, string]> = []
  for (const [left, right] of level.conditions.flatMap(equalities))
    for (const [one, other] of [
      [left, right],
      [right, left]
    ]) {
      const column = columnOf(one, level)
      const columns = column === undefined ? undefined : compared.get(column.alias)
      if (column === undefined || columns === undefined) continue
      const against = columnOf(other, level)
      if (against === undefined || !level.tables.has(against.alias)) columns.add(column.column)
      else if (against.alias !== column.alias && against.column === column.column && column.column === "project_id")
        links.push([column.alias, against.alias])
    }
  for (let isChanged = true; isChanged;) {
    isChanged = false
    for (const [one, other] of links)
      if (compared.get(other)!.has("project_id") && !compared.get(one)!.has("project_id")) {
        compared.get(one)!.add("project_id")
        isChanged = true
      }
  }
  return [...compared].flatMap(([alias, columns]) =>
    columns.has("project_id") ? [] : [{ table: level.tables.get(alias)!, comparedColumns: [...columns].toSorted() }]
  )
}

const levelsBelow = (node: unknown, projectTables: ReadonlySet<string>): ReadonlyArray<Level> => {
  if (Array.isArray(node)) return node.flatMap((one) => levelsBelow(one, projectTables))
  if (!isNode(node)) return []
  const level = (relation: unknown, from: unknown, where: unknown) => [
    levelOf(relation, nodesOf(from), where, projectTables)
  ]
  const own = Object.entries(node).flatMap(([kind, content]): ReadonlyArray<Level> => {
    if (!isNode(content)) return []
    switch (kind) {
      case "SelectStmt":
        return level(undefined, content["fromClause"], content["whereClause"])
      case "UpdateStmt":
        return level(content["relation"], content["fromClause"], content["whereClause"])
      case "DeleteStmt":
        return level(content["relation"], content["usingClause"], content["whereClause"])
      // The two sides of a UNION have no kind of their own.
      case "larg":
      case "rarg":
        return content["op"] === undefined ? [] : level(undefined, content["fromClause"], content["whereClause"])
      default:
        return []
    }
  })
  return [...own, ...Object.values(node).flatMap((one) => levelsBelow(one, projectTables))]
}

/** The uses of tables with a project that do not name the project. */
export const unscopedTables = async (
  sql: string,
  projectTables: ReadonlySet<string>
): Promise<ReadonlyArray<TableUse>> => levelsBelow(await parse(sql), projectTables).flatMap(unscopedIn)

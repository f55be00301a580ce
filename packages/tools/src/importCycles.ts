/**
 * Finds import cycles: files that import each other, directly or through other files. Imports of types count.
 */
import { importedFile, importsOf } from "./importsOf.ts"

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/** The relative imports of each file. */
export const importGraph = (sources: Readonly<Record<string, string>>): Graph =>
  new Map(
    Object.entries(sources).map(([file, source]) => [
      file,
      importsOf(source)
        .filter((name) => name.startsWith("."))
        .map((name) => importedFile(file, name))
        .filter((imported) => imported in sources)
    ])
  )

/** The files that can be reached from a file. */
const reachable = (graph: Graph, from: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const waiting = [...(graph.get(from) ?? [])]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    waiting.push(...(graph.get(file) ?? []))
  }
  return found
}

/** Each group of files that import each other, sorted. Empty when there is no cycle. */
export const importCycles = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const reached = new Map([...graph.keys()].map((file) => [file, reachable(graph, file)]))
  const grouped = new Set<string>()
  return [...graph.keys()].toSorted().flatMap((file) => {
    const reachedFrom = reached.get(file)!
    if (grouped.has(file) || !reachedFrom.has(file)) return []
    const group = [...reachedFrom].filter((other) => reached.get(other)!.has(file)).toSorted()
    for (const member of group) grouped.add(member)
    return [group]
  })
}

/** One complaint for each cycle. */
export const cycleComplaints = (sources: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  importCycles(importGraph(sources)).map(
    (group) =>
      `${group[0]}: import cycle of ${group.length} files: ${group.map((file) => file.replace(/^packages\//, "")).join(", ")}`
  )

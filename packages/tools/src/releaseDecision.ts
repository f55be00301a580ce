/**
 * Decides whether the packages may be published now, and in which order. A pure function of facts that `release.ts` collects.
 */

export interface ReleaseFacts {
  readonly branch: string
  /** The files that differ from the last commit. */
  readonly uncommitted: ReadonlyArray<string>
  /** The changesets that no version contains yet. */
  readonly changesets: ReadonlyArray<string>
  /** The versions that were released before. */
  readonly released: ReadonlyArray<string>
  /** The packages, each after its dependencies. */
  readonly packages: ReadonlyArray<{
    readonly name: string
    readonly version: string
    /** Whether its change log has a section for its version. */
    readonly isDescribed: boolean
    /** Whether the registry has this version already, because an earlier release was interrupted. */
    readonly isPublished: boolean
  }>
}

export type ReleaseDecision =
  | { readonly refusals: ReadonlyArray<string> }
  | { readonly version: string; readonly publish: ReadonlyArray<string> }

const numbersOf = (version: string): readonly [core: ReadonlyArray<number>, pre: ReadonlyArray<string>] => {
  const [core = "", pre] = version.split("-", 2)
  return [core.split(".").map(Number), pre === undefined ? [] : pre.split(".")]
}

/** Compares two identifiers of a pre-release: numbers by value and before texts. */
const compareIdentifiers = (a: string, b: string): number => {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumberA && isNumberB) return Number(a) - Number(b)
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Compares two versions by the rules of Semantic Versioning 2.0.0, section 11. */
export const compareVersions = (a: string, b: string): number => {
  const [[coreA, preA], [coreB, preB]] = [numbersOf(a), numbersOf(b)]
  for (let n = 0; n < 3; n++) if (coreA[n] !== coreB[n]) return (coreA[n] ?? 0) - (coreB[n] ?? 0)
  // A version without a pre-release is later than its pre-releases.
  if (preA.length === 0 || preB.length === 0) return preB.length - preA.length
  for (let n = 0; n < Math.min(preA.length, preB.length); n++) {
    const difference = compareIdentifiers(preA[n]!, preB[n]!)
    if (difference !== 0) return difference
  }
  return preA.length - preB.length
}

const listed = (names: ReadonlyArray<string>): string =>
  names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ")

export const decideRelease = ({
  branch,
  uncommitted,
  changesets,
  released,
  packages
}: ReleaseFacts): ReleaseDecision => {
  const versions = [...new Set(packages.map(({ version }) => version))]
  const version = versions[0] ?? "0.0.0"
  const latest = released.toSorted(compareVersions).at(-1)
  const undescribed = packages.flatMap(({ name, isDescribed }) => (isDescribed ? [] : [name]))
  const publish = packages.flatMap(({ name, isPublished }) => (isPublished ? [] : [name]))
  const refusals = [
    ...(branch === "main" ? [] : [`A release is made from main, and this is ${branch || "no branch"}.`]),
    ...(uncommitted.length === 0 ? [] : [`There are uncommitted changes: ${listed(uncommitted)}.`]),
    ...(changesets.length === 0
      ? []
      : [`Run \`pnpm run version\` first. No version contains these changesets yet: ${listed(changesets)}.`]),
    ...(versions.length <= 1 ? [] : [`The packages have different versions: ${versions.join(", ")}.`]),
    ...(latest === undefined || compareVersions(version, latest) > 0
      ? []
      : [`The version ${version} was not raised: ${latest} was released before. Add a changeset.`]),
    ...(undescribed.length === 0
      ? []
      : [`No section of the change log describes ${version} of ${listed(undescribed)}.`]),
    ...(publish.length > 0 ? [] : ["The registry has every package already."])
  ]
  return refusals.length > 0 ? { refusals } : { version, publish }
}

/**
 * The instant and the ids of the records of laws.
 */

/** The default instant of laws. */
export const noon = Date.UTC(2026, 10, 21, 12)

export const projectId = "prj_law"

export const otherId = "prj_other"

/** Ids such as `del_01`, `del_02`, … whose text order is their number order. */
export const numbered = <const P extends string>(prefix: P, n: number): `${P}_${string}` =>
  `${prefix}_${String(n).padStart(4, "0")}`

export const idsOf = (records: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  records.map(({ id }) => id)

/**
 * The records that a commit touches. Commits of one group touch no record of each other, so that any order of them gives the same result.
 */
import type { Change } from "@mailkeep/core/adapter"
import { recordKeyOf } from "@mailkeep/core/adapter"

/**
 * How a commit touches a record. Two that read it, two that remove an address, and one that reads it and one that writes its last use can be in
 * one group.
 */
const touch = { read: 1, use: 2, write: 4, remove: 8 } as const

const conflicting: Readonly<Record<number, number>> = {
  [touch.read]: touch.write | touch.remove,
  [touch.remove]: touch.read | touch.write,
  [touch.use]: touch.use | touch.write,
  [touch.write]: touch.read | touch.use | touch.write
}

export type Touched = ReadonlyMap<string, number>

/** Every address of a contact of the project. The removal of a contact does not name its address. */
const everyAddress = ({ projectId }: { readonly projectId: string }): string => `ContactAddress/${projectId}`

const touchesOf = (change: Change): ReadonlyArray<readonly [key: string, mode: number]> => {
  const key = recordKeyOf(change)
  switch (change._tag) {
    // Additions to a counter have any order, and writers of one content write the same bytes.
    case "AddToCounter":
    case "PutContent":
      return []
    case "Expect":
      return change.record.kind === "ContactAddress"
        ? [
            [key, touch.read],
            [everyAddress(change.record), touch.read]
          ]
        : [[key, touch.read]]
    case "TouchApiKey":
      return [[key, touch.use]]
    case "InsertAttempt":
      return [
        [key, touch.write],
        [`Delivery/${change.attempt.projectId}/${change.attempt.deliveryId}`, touch.read]
      ]
    case "TransitionAttempt":
      return [
        [key, touch.write],
        [`Delivery/${change.projectId}/${change.deliveryId}`, touch.write]
      ]
    case "PutContact": {
      const { projectId, address } = change.contact
      return [
        [key, touch.write],
        [`ContactAddress/${projectId}/${address}`, touch.write]
      ]
    }
    case "RemoveContact":
      return [
        [key, touch.write],
        [everyAddress(change), touch.remove]
      ]
    default:
      return [[key, touch.write]]
  }
}

export const touchedBy = (changes: ReadonlyArray<Change>): Touched => {
  const touched = new Map<string, number>()
  for (const change of changes)
    for (const [key, mode] of touchesOf(change)) touched.set(key, (touched.get(key) ?? 0) | mode)
  return touched
}

/** The modes that a touch with these modes does not allow. */
const conflictsOf = (modes: number): number =>
  Object.values(touch).reduce((all, mode) => ((modes & mode) === 0 ? all : all | conflicting[mode]!), 0)

/** The records that the commits under way touch. */
export interface TouchedRecords {
  readonly overlaps: (touched: Touched) => boolean
  readonly add: (touched: Touched) => void
  readonly remove: (touched: Touched) => void
}

export const makeTouchedRecords = (): TouchedRecords => {
  /** For each record, how many commits touch it in each mode. */
  const counts = new Map<string, Map<number, number>>()
  const change = (touched: Touched, by: number) => {
    for (const [key, modes] of touched)
      for (const mode of Object.values(touch)) {
        if ((modes & mode) === 0) continue
        const ofKey = counts.get(key) ?? new Map<number, number>()
        const count = (ofKey.get(mode) ?? 0) + by
        if (count === 0) ofKey.delete(mode)
        else ofKey.set(mode, count)
        if (ofKey.size === 0) counts.delete(key)
        else counts.set(key, ofKey)
      }
  }
  return {
    overlaps: (touched) => {
      for (const [key, modes] of touched) {
        const existing = counts.get(key)
        if (existing === undefined) continue
        const refused = conflictsOf(modes)
        for (const mode of existing.keys()) if ((refused & mode) !== 0) return true
      }
      return false
    },
    add: (touched) => change(touched, 1),
    remove: (touched) => change(touched, -1)
  }
}

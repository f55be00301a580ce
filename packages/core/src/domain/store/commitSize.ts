/**
 * The approximate size of a commit. Stores bound with it what waits and what one transaction contains.
 */
import type { Change } from "./Change.ts"

interface Bodies {
  readonly html: string | null
  readonly text: string | null
}

/** The bodies that the change carries. A rewrite of a message carries the message before and after. */
const bodiesOf = (change: Change): ReadonlyArray<Bodies> => {
  switch (change._tag) {
    case "InsertMessage":
      return [change.message]
    case "PutResource":
      return change.resource.kind === "templateBody" ? [change.resource.content] : []
    case "RewriteRecord":
      return [change.before, change.after].flatMap((one) => (one?.kind === "Message" ? [one.record] : []))
    default:
      return []
  }
}

const octetsOfChange = (change: Change): number =>
  change._tag === "PutContent"
    ? change.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    : bodiesOf(change).reduce((sum, { html, text }) => sum + 3 * ((html?.length ?? 0) + (text?.length ?? 0)), 1024)

/** The approximate size of changes: their bodies and contents, and a fixed number of octets for each change. */
export const octetsOfChanges = (changes: ReadonlyArray<Change>): number =>
  changes.reduce((sum, change) => sum + octetsOfChange(change), 0)

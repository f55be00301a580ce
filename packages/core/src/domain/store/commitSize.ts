/**
 * The approximate size of a commit. Stores bound with it what waits and what one transaction contains.
 */
import type { PropertyValue } from "../contact/Property.ts"
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

/** The values of the properties that the change carries. An event of a contact has the whole contact. */
const propertiesOf = (change: Change): ReadonlyArray<PropertyValue> => {
  switch (change._tag) {
    case "PutContact":
      return Object.values(change.contact.properties)
    case "AppendEvent":
      return "contact" in change.event.data ? Object.values(change.event.data.contact.properties) : []
    default:
      return []
  }
}

/** The number of characters of the bodies and the properties. */
const lengthOf = (change: Change): number =>
  bodiesOf(change).reduce((sum, { html, text }) => sum + (html?.length ?? 0) + (text?.length ?? 0), 0) +
  propertiesOf(change).reduce<number>((sum, value) => sum + String(value).length, 0)

const bytesOfChange = (change: Change): number =>
  change._tag === "PutContent"
    ? change.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    : 1024 + 3 * lengthOf(change)

/** The approximate size of changes: their bodies, properties and contents, and a fixed number of bytes for each change. */
export const bytesOfChanges = (changes: ReadonlyArray<Change>): number =>
  changes.reduce((sum, change) => sum + bytesOfChange(change), 0)

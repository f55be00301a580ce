/**
 * The fields whose names on the wire differ from those in process. Every other field has one name.
 */
import type { Fields, Issue } from "@mailkeep/core/binding"

/**
 * Names of fields in both directions: the name on the wire by the one in process, and back. A field with the name of the other side thus becomes an
 * unknown field there, and its issue names the field as the caller does.
 */
export type FieldNames = Readonly<Record<string, string>>

const bothWays = (names: FieldNames): FieldNames => ({
  ...names,
  ...Object.fromEntries(Object.entries(names).map(([name, wireName]) => [wireName, name]))
})

/** The fields of a custom property. */
export const propertyNames = bothWays({ fallbackValue: "fallback_value" })
/** The fields of a template and of its variables. */
export const templateNames = bothWays({
  previewText: "preview_text",
  fromName: "from_name",
  fromAddress: "from_address",
  replyTo: "reply_to",
  fallbackValue: "fallback_value"
})
/** The fields of a file of a message. */
export const attachmentNames = bothWays({ contentType: "content_type", contentId: "content_id" })

const renamed = (names: FieldNames, name: string | number): string | number =>
  typeof name === "string" && Object.hasOwn(names, name) ? names[name]! : name

/** Renames the fields of an object. */
export const withRenamedFields = (names: FieldNames, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [renamed(names, name), value]))

/** Renames the fields of a request and of its list items. A key that the caller chose, such as `variables.fromName`, stays as it is. */
export const renamedPath = (names: FieldNames, path: Issue["path"]): Issue["path"] =>
  path.map((part, n) => (n === 0 || typeof path[n - 1] === "number" ? renamed(names, part) : part))

/** Renames the fields of the files of a message, or of the messages of a batch. */
export const renamedAttachmentPath = (path: Issue["path"]): Issue["path"] =>
  path.map((part, n) => (path[n - 2] === "attachments" ? renamed(attachmentNames, part) : part))

/**
 * The media types of files: the form of a media type, and the type of each common extension. Source: RFC 6838 §4.2; RFC 2046; RFC 5546.
 */

const restrictedName = "[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"
const mediaTypeForm = new RegExp(`^${restrictedName}/${restrictedName}$`)

/** What a calendar file asks of the calendar of its reader: an invitation has `REQUEST`. Source: RFC 5546 §1.4. */
const calendarMethods: ReadonlySet<string> = new Set([
  "ADD",
  "CANCEL",
  "COUNTER",
  "DECLINECOUNTER",
  "PUBLISH",
  "REFRESH",
  "REPLY",
  "REQUEST"
])

/** A calendar file is UTF-8, whether its type says so or not (RFC 5545 §3.1.4). */
const calendarForm = /^text\/calendar(?:; ?charset="?utf-8"?)?; ?method="?([a-z]+)"?(?:; ?charset="?utf-8"?)?$/i

/** The method in the type of a calendar file, in upper case; `undefined` for any other type and without a method. */
export const calendarMethodOf = (type: string): string | undefined => {
  const method = calendarForm.exec(type)?.[1]?.toUpperCase()
  return method !== undefined && calendarMethods.has(method) ? method : undefined
}

/**
 * The type of a file as a message records it, or `undefined` for a text that no file may have as its type. It has no parameters, except
 * `text/calendar; method=REQUEST`. It is not `multipart` or `message`. The content of these must not be base64 (RFC 2046 §5.1 and §5.2.1), so it would
 * be read as a part of the message itself.
 */
export const toFileType = (text: string): string | undefined => {
  const method = calendarMethodOf(text)
  if (method !== undefined) return `text/calendar; method=${method}`
  const type = text.toLowerCase()
  return mediaTypeForm.test(type) && !/^(?:multipart|message)\//.test(type) ? type : undefined
}

/** The type of a file whose extension is not in the table. */
const unknownType = "application/octet-stream"

const typesByExtension: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bmp: "image/bmp",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  epub: "application/epub+zip",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  pdf: "application/pdf",
  png: "image/png",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  svg: "image/svg+xml",
  tiff: "image/tiff",
  txt: "text/plain",
  vcf: "text/vcard",
  wav: "audio/wav",
  webp: "image/webp",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip"
}

/** The extensions with a known type, in lower case. */
export const extensionsOfFiles: ReadonlyArray<string> = Object.keys(typesByExtension)

/** The media type of a file name by its extension. */
export const typeOfFilename = (filename: string): string => {
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(typesByExtension, extension) ? typesByExtension[extension]! : unknownType
}

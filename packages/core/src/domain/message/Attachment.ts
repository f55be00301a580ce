/**
 * The files of a message: what a program gives, the rules for their names and types, and the record of a message. Source: decision 0042.
 */
import { Schema } from "effect"
import { says } from "../value/Issue.ts"
import { lineOf } from "../value/TextRule.ts"
import { toFileType } from "./mediaTypes.ts"

/** `inline`: the html shows the file. `attachment`: a program offers it for saving (RFC 2183). */
export const dispositions = ["attachment", "inline"] as const
/** How a mail program shows a file. */
export type Disposition = (typeof dispositions)[number]

/** At most this number of files in one message. */
export const attachmentsMax = 20
const filenameCharactersMax = 255
const contentIdCharactersMax = 200

interface AttachmentFields {
  /**
   * A media type without parameters, such as `application/pdf`. Default: by the extension of the file name. A calendar file may have a method
   * (RFC 5546): mail programs show `text/calendar; method=REQUEST` as an invitation.
   */
  readonly contentType?: string | undefined
  /** The id under which the html refers to the file as `cid:logo` (RFC 2392), without angle brackets. Each file has another one. */
  readonly contentId?: string | undefined
  /** Default: `inline` with a `contentId`, and `attachment` without one. `inline` needs a `contentId`. */
  readonly disposition?: Disposition | undefined
}

/** A file of a message, with its content. */
export interface ContentAttachmentInput extends AttachmentFields {
  /** 1 to 255 characters of one line, without a slash or a backslash. */
  readonly filename: string
  /**
   * The bytes of the file, or a text, which becomes UTF-8. A principal of an API key gives base64 instead of a text, as over HTTP.
   */
  readonly content: Uint8Array | string
  /** Not together with `content`. */
  readonly path?: undefined
}

/** A file of a message, which is read from the file system when the message is sent. Not for a principal of an API key. */
export interface PathAttachmentInput extends AttachmentFields {
  /** The path of a regular file. Needs the layer of `@mailkeep/core/node/files`. */
  readonly path: string
  /** Default: the last part of `path`. */
  readonly filename?: string | undefined
  /** Not together with `path`. */
  readonly content?: undefined
}

/** A file of a message. */
export type AttachmentInput = ContentAttachmentInput | PathAttachmentInput

/** A file of a message as the message records it. Its content is stored apart, under the hash. */
export interface AttachmentRecord {
  readonly filename: string
  /** A media type without parameters, in lower case, or that of a calendar file with its method, such as `text/calendar; method=REQUEST`. */
  readonly contentType: string
  /** Without angle brackets; `null` if the html cannot refer to the file. */
  readonly contentId: string | null
  readonly disposition: Disposition
  /** In bytes. */
  readonly size: number
  /** SHA-256 of the content, in hexadecimal. */
  readonly hash: string
}

/** A file of a message as the log shows it. */
export type AttachmentSummary = Omit<AttachmentRecord, "hash">

/** A file of a send whose fields and bytes are valid. */
export interface ValidAttachment extends AttachmentSummary {
  readonly content: Uint8Array
}

/** Characters that change the direction of the text after them. With one of them, `gpj.exe` can look like `exe.jpg`. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/

const Filename = lineOf({ min: 1, max: filenameCharactersMax }).check(
  Schema.makeFilter(
    (name: string) => !/[/\\]/.test(name) && name !== "." && name !== "..",
    says("invalid_value", "must be a name without a path")
  ),
  Schema.makeFilter(
    (name: string) => !directionControls.test(name),
    says("invalid_value", "must not contain characters that change the direction of text")
  )
)

const ContentType = Schema.String.check(
  Schema.makeFilter(
    (type: string) => toFileType(type) !== undefined,
    says(
      "invalid_value",
      "must be a media type such as application/pdf, without parameters, and not multipart or message; a calendar file may have a method, as in text/calendar; method=REQUEST"
    )
  )
)

/** Printable ASCII without angle brackets, and at most one `@`, which is neither first nor last. */
const contentIdForm = /^[!-;=?A-~]+(?:@[!-;=?A-~]+)?$/

const ContentId = Schema.String.check(
  Schema.makeFilter((id: string) => id.length <= contentIdCharactersMax && contentIdForm.test(id), {
    ...says(
      "invalid_value",
      `must be 1 to ${contentIdCharactersMax} visible ASCII characters without angle brackets, with at most one @`
    ),
    toJsonSchema: () => ({ minLength: 1, maxLength: contentIdCharactersMax })
  })
)

/** A file in the body of a send. `content` is base64 (RFC 4648 §4). Source: decision 0042. */
export const AttachmentBody = Schema.Struct({
  filename: Filename,
  content: Schema.String.annotate({
    description: "The bytes of the file in base64 (RFC 4648 §4), with padding and without white space."
  }),
  contentType: Schema.optionalKey(ContentType),
  contentId: Schema.optionalKey(ContentId),
  disposition: Schema.optionalKey(
    Schema.Literals(dispositions).annotate(says("invalid_value", `must be ${dispositions.join(" or ")}`))
  )
}).annotate({ identifier: "Attachment" })
export type AttachmentBody = typeof AttachmentBody.Type

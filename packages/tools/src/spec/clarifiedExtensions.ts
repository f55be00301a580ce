/**
 * Extensions: what a request or a response may have besides the interface. A client that is written for the interface never notices them.
 */
import {
  at,
  attachment,
  attachments,
  checkedTransport,
  clarified,
  jsonStrings,
  sendRequest,
  wireAttachments
} from "./proofs.ts"

const decision = "0042-attachments"

export const extensions = clarified(9, "Extensions", [
  [
    "A send may have `attachments`: at most 20 files, each with `filename`, `content` in base64, and optionally `content_type`, `content_id` and `disposition`.",
    [at.domain("Attachment"), at.domain("attachmentContent"), at.server("sendBody")],
    [
      wireAttachments("hands over the decoded files, and shows them in the log without their contents"),
      wireAttachments("refuses a path, and any content that is not base64, whatever its length"),
      wireAttachments("accepts base64 whose slashes are escaped, as some languages write it"),
      attachment("has the bytes, the size and defaults for the fields that are absent"),
      attachment("refuses %s")
    ],
    decision
  ],
  [
    "The files have at most 20 MiB together, unless the plan says otherwise. The body of a send has at most 30 MiB.",
    [at.decide("acceptSend"), at.domain("Plan"), at.server("sendBody")],
    [
      wireAttachments("accepts 20 MiB of files beside bodies of 2 MiB, and refuses one byte more"),
      wireAttachments("refuses a send larger than 30 MiB with 413, so that the client can read the response"),
      wireAttachments("uses the limit of the plan"),
      attachments("compares the files with the limit of the plan, which is 20 MiB by default")
    ],
    decision
  ],
  [
    "No name, type or id of a file adds a header field, and no name has a path or changes the direction of text.",
    [at.domain("Attachment"), at.internal("checkedTransport")],
    [
      attachment(
        "refuses every file name with a line end, a control character, a separator or a change of direction, in any script"
      ),
      attachment("accepts only file names that stay one harmless line"),
      checkedTransport("refuses a message with a broken %s, and hands nothing over")
    ],
    decision
  ],
  [
    "The files are a part of the fingerprint: their names, types, ids, dispositions and contents, in order.",
    [at.domain("SendRequest")],
    [
      sendRequest(
        "gives another canonical form when a name, a type, an id, a disposition or the hash of a file differs, or the order"
      ),
      attachments(
        "replays a send with the same files, and refuses its idempotency key for another content, name or order"
      ),
      wireAttachments("replays a repeated send, and refuses its idempotency key with another content")
    ],
    decision
  ],
  [
    "A content is stored once for a project, and deleted with the last message that has it.",
    [at.domain("messageSweep"), at.internal("sweeping")],
    [attachments("stores equal contents once, and deletes them with the last message that has them")],
    decision
  ],
  [
    "A message is handed over with all bytes of its files, or not at all.",
    [at.internal("contentReader")],
    [
      attachments(
        "hands over the files of a message with their bytes, to each recipient and as often as they are read"
      ),
      attachments("returns a delivery to the queue and sends nothing when the stored content %s")
    ],
    decision
  ],
  [
    "The log shows `attachments` of a delivery: `filename`, `content_type`, `content_id`, `disposition` and `size`, without the content.",
    [at.api("Logs")],
    [wireAttachments("hands over the decoded files, and shows them in the log without their contents")],
    decision
  ],
  [
    "A process reads few large bodies at the same time. The others are 503 with `Retry-After`, and bodies of the usual size are read meanwhile.",
    [at.server("bodyBudget"), at.server("sendBody"), at.server("jsonStrings")],
    [
      wireAttachments(
        "takes one of several large sends of an API key at once, refuses the others with 503, and reads other bodies meanwhile"
      ),
      jsonStrings("takes linear time for a string with %s")
    ],
    "0032-slow-and-hostile-clients"
  ]
])

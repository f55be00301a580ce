/**
 * Extensions: what a request or a response may have besides the specification. A client that is written for the specification never notices them.
 */
import {
  at,
  attachment,
  attachments,
  batchItem,
  bucket,
  checkedTransport,
  clarified,
  jsonStrings,
  sendBatch,
  sendRequest,
  wireAttachments,
  wireBatch
} from "./proofs.ts"

const decision = "0042-attachments"
const batches = "0048-batches"

export const extensions = clarified(9, "Extensions", [
  [
    "A send may have `attachments`: at most 20 files, each with `filename`, `content` in base64, and optionally `content_type`, `content_id` and `disposition`.",
    [at.domain("Attachment"), at.domain("attachmentContent"), at.server("sendBody")],
    [
      wireAttachments("hands over the decoded files, and shows them in the log without their contents"),
      wireAttachments("refuses a path, and any content that is not base64, whatever its length"),
      wireAttachments("accepts base64 whose %s are escaped, as some languages write it"),
      attachment("has the bytes, the size and defaults for the fields that are absent"),
      attachment("refuses %s")
    ],
    decision
  ],
  [
    "The files have at most 20 MiB together, unless the plan says otherwise. The body of a send with files has at most 30 MiB.",
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
      jsonStrings("finds the end of a string in linear time with %s")
    ],
    "0032-slow-and-hostile-clients"
  ],
  [
    "`POST /emails/batch` takes `messages`, 1 to 100 send bodies. It answers 202 with one result for each message, in the order of the request. A message that is refused refuses no other.",
    [at.api("Messages"), at.handler("messages"), at.internal("batchSending")],
    [
      wireBatch("answers 202 with one result for each message, in the order of the request"),
      wireBatch("hands over the decoded files of each message"),
      wireBatch("is described as an extension in the OpenAPI document"),
      sendBatch("returns one result for each message, in order, and refuses only the messages that are wrong"),
      sendBatch("accepts as many messages as a limit allows, whatever their order")
    ],
    batches
  ],
  [
    "Message _n_ of a batch is recorded under the idempotency key and _n_, so a repeat replays each message. No send and no other message has that key.",
    [at.domain("SendBatch")],
    [
      wireBatch("replays every message of a repeated batch with the same bytes, and tries the refused messages again"),
      wireBatch("keeps the idempotency keys of sends and of batches apart"),
      batchItem("makes a key that no caller can give"),
      batchItem("makes another key for another key or another position"),
      sendBatch("sends each message once when two equal batches run at the same time")
    ],
    batches
  ],
  [
    "A fault of the batch itself is refused as on send, and no message is sent. The path of an issue of a message begins with `messages` and its position.",
    [at.domain("SendBatch"), at.server("sendBody")],
    [
      wireBatch("answers 400 to a body %s, and sends nothing"),
      wireBatch("answers 400 without an idempotency key"),
      wireBatch("answers 413 to a body over 30 MiB"),
      sendBatch("refuses a batch %s"),
      sendBatch("refuses a batch with more than 30 MiB of texts and files, also when files are given by their path")
    ],
    batches
  ],
  [
    "When the store takes no message of a batch and refuses one, the batch is 503. When it takes some, the others have the error `unavailable`.",
    [at.internal("batchSending")],
    [wireBatch("answers 503 when the store took no message, and 202 with an error for the others when it took one")],
    batches
  ],
  [
    "A batch takes one token of the rate limit for each message, also more than the bucket has. Later requests wait until it has refilled. A list of a wrong form takes one token.",
    [at.domain("TokenBucket"), at.handler("messages")],
    [
      wireBatch("counts each message against the rate limit, and answers 429 until the limit has refilled"),
      wireBatch("takes one token for a batch whose form is wrong"),
      bucket("takes more tokens than it has for a batch, and then refills from below zero"),
      bucket("allows over any span at most its size, the refilled tokens and one batch")
    ],
    batches
  ]
])

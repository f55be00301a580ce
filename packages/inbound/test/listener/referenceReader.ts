/**
 * A simple reader of a whole SMTP conversation, by RFC 5321 alone. It has no state between chunks: it sees all bytes of the client at once.
 * The properties compare the listener with it.
 */

/** A message that a correct server accepts. */
export interface AcceptedMessage {
  readonly sender: string
  readonly recipients: ReadonlyArray<string>
  readonly content: string
}

const bareLineEnd = /\r(?!\n)|(?<!\r)\n/

/** The content of a message: a period that begins a line is removed (RFC 5321 §4.5.2). */
const withoutDots = (data: string): string => data.replace(/(^|\r\n)\./g, "$1")

/** The end of the data: CR LF . CR LF, where the first CR LF may be that of the command `DATA`. */
const endOfData = (rest: string): { readonly data: string; readonly after: number } | undefined => {
  if (rest.startsWith(".\r\n")) return { data: "", after: 3 }
  const end = rest.indexOf("\r\n.\r\n")
  return end < 0 ? undefined : { data: rest.slice(0, end + 2), after: end + 5 }
}

/** The commands that a client may send after a refused `DATA`. */
const knownCommand = /^(?:NOOP|RSET|QUIT|DATA|(?:EHLO|HELO) +[a-z.]+|(?:MAIL FROM|RCPT TO): *<[a-z@.]*>)$/i

/**
 * Returns the messages that a server accepts which takes every sender and recipient. `text` is Latin-1: one character for each byte. After a
 * refused `DATA`, the server may close the connection if bytes follow at once. `patient` reads as if it does not.
 */
export const acceptedMessages = (text: string, patient: boolean): ReadonlyArray<AcceptedMessage> => {
  const accepted: Array<AcceptedMessage> = []
  let greeted = false
  let sender: string | undefined
  let recipients: Array<string> = []
  let dataRefused = false
  for (let rest = text; ;) {
    const lineEnd = rest.search(/\r\n|\r(?!$)|\n/)
    if (lineEnd < 0 || !rest.startsWith("\r\n", lineEnd)) return accepted
    const line = rest.slice(0, lineEnd).trimEnd()
    rest = rest.slice(lineEnd + 2)
    if (dataRefused && !knownCommand.test(line)) return accepted
    dataRefused = false
    const [, mail] = /^MAIL FROM: *<([a-z@.]*)>$/i.exec(line) ?? []
    const [, rcpt] = /^RCPT TO: *<([a-z@.]+)>$/i.exec(line) ?? []
    if (/^(?:EHLO|HELO) +[a-z.]+$/i.test(line)) {
      greeted = true
      sender = undefined
    } else if (/^RSET$/i.test(line)) sender = undefined
    else if (/^QUIT$/i.test(line)) return accepted
    else if (mail !== undefined && greeted && sender === undefined) {
      sender = mail
      recipients = []
    } else if (rcpt !== undefined && sender !== undefined) recipients.push(rcpt)
    else if (/^DATA$/i.test(line) && (sender === undefined || recipients.length === 0)) {
      if (!patient) return accepted
      dataRefused = true
    } else if (/^DATA$/i.test(line) && sender !== undefined) {
      const end = endOfData(rest)
      if (end === undefined || bareLineEnd.test(end.data) || end.data.includes("\0")) return accepted
      accepted.push({ sender, recipients, content: withoutDots(end.data) })
      sender = undefined
      rest = rest.slice(end.after)
    }
  }
}

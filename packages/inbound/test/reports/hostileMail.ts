/** Messages of 10 MiB that are made to cost a reader much time or memory. */

const size = 10 * 1024 * 1024

/** Repeats a text up to 10 MiB. */
const filled = (unit: string, bytesMax = size): string =>
  unit.repeat(Math.ceil(bytesMax / unit.length)).slice(0, bytesMax)

/** Concatenates numbered texts up to 10 MiB. */
const numbered = (make: (index: number) => string): string => {
  const parts: Array<string> = []
  for (let index = 0, length = 0; length < size; index++) {
    const part = make(index)
    parts.push(part)
    length += part.length
  }
  return parts.join("")
}

const daemon = "From: MAILER-DAEMON@x.example\r\nSubject: failure notice\r\n"
const mixed = "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
const statusPart = "--b\r\nContent-Type: message/delivery-status\r\n\r\n"
const report = `${daemon}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n${statusPart}`

/** The beginning of a message with so many levels of parts, each with a boundary of its own. */
const nestedIn = (levels: number, prefix = "b"): string =>
  Array.from(
    { length: levels },
    (_, level) => `Content-Type: multipart/mixed; boundary=${prefix}${level}\r\n\r\n--${prefix}${level}\r\n`
  ).join("")

/** Each message by what it attacks. */
export const hostileMails: Readonly<Record<string, () => string>> = {
  "empty parts": () => mixed + filled("--b\r\n\r\n"),
  "parts with long headers": () => daemon + mixed + filled(`--b\r\n${"X-A: b\r\n".repeat(12_000)}`),
  "ten levels around short lines": () => `${nestedIn(10)}${filled("x\r\n")}`,
  "ten levels around lines with hyphens": () => `${nestedIn(10, "b".repeat(190))}${filled(`--${"b".repeat(190)}\n`)}`,
  "parts in an encoding that changes": () =>
    daemon +
    mixed +
    filled(`--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n${"\u001b$B\u001b(B".repeat(15_000)}\r\n`),
  "parts of text": () => daemon + mixed + filled("--b\r\nContent-Type: text/plain\r\n\r\nx\r\n"),
  "nested parts": () => numbered((index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`),
  "parts nested in the same boundary": () => filled(`${mixed}--b\r\n`),
  "ten levels around many lines": () => nestedIn(12) + filled("--b\r\n"),
  "lines that are almost a boundary": () =>
    `Content-Type: multipart/mixed; boundary=${"b".repeat(70)}\r\n\r\n${filled(`--${"b".repeat(69)}\n`)}`,
  "boundaries with white space": () => mixed + filled(`--b${" ".repeat(1000)}x\n`),
  "header fields": () => filled("X-A: b\r\n"),
  "a folded header field": () => `Subject: ${filled(" =?utf-8?q?a?=\r\n")}`,
  "a list of receivers": () => `${daemon}To: ${filled("a <a@b.example>, ")}`,
  "failed recipients in the header": () =>
    `${daemon}${filled(`X-Failed-Recipients: ${Array.from({ length: 60 }, (_, index) => `u${index}@b.example`).join(", ")}\r\n`, 200_000)}\r\n${filled("u1@b.example\nxxxx\n")}`,
  "parameters of a content type": () => `Content-Type: text/plain${filled("; a*0=b")}`,
  base64: () => `${daemon}Content-Transfer-Encoding: base64\r\n\r\n${filled("QUJD\r\n")}`,
  "quoted-printable": () => `${daemon}Content-Transfer-Encoding: quoted-printable\r\n\r\n${filled("=41=")}`,
  "HTML tags": () => `${daemon}Content-Type: text/html\r\n\r\n${filled("<br<a&lt;")}`,
  "charset changes": () =>
    `${daemon}Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n${filled("\u001b$B\u001b(B")}`,
  "empty lines": () => `${daemon}\r\n${filled("\n")}`,
  addresses: () =>
    `${daemon}\r\n${numbered((index) => `<a${index}@b.example>: 550 5.1.1 (in reply to RCPT TO command)\n`)}`,
  "text that is almost an address": () =>
    `${daemon}\r\nundeliverable\n${filled(`${"a".repeat(127)}.`.repeat(7).concat("@ \n"))}`,
  "words of failure": () => `${daemon}\r\n${filled("deliver user mailbox rate host domain ")}`,
  recipients: () =>
    `${report}${numbered((index) => `Final-Recipient: rfc822; a${index}@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`)}`,
  "recipients without empty lines": () =>
    report + numbered((index) => `Final-Recipient: rfc822; a${index}@b.example\r\nAction: failed\r\n`),
  "parentheses in the status of each recipient": () =>
    report +
    numbered(
      (index) =>
        `Final-Recipient: rfc822; a${index}@b.example\r\nAction: failed\r\nStatus: 5.1.1 ${"(".repeat(16_000)}\r\n\r\n`
    ),
  "empty lines in a report": () => report + filled("\r\n"),
  "a long diagnostic": () =>
    `${report}Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nDiagnostic-Code: smtp; 550 ${filled("user ")}`,
  reports: () =>
    `${daemon}Content-Type: multipart/report; boundary=b\r\n\r\n${filled(`${statusPart}Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n${"X: y\r\n".repeat(17_000)}`)}`,
  "receivers of a returned message": () =>
    `${mixed}--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${filled(`To: ${"a".repeat(16_000)}\r\n`)}`,
  "wrapped reports": () => `${daemon}${mixed}--b\r\nContent-Type: message/rfc822\r\n\r\n${filled(report)}`
}

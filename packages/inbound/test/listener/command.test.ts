/**
 * Tests of the parser of commands.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseCommand } from "../../src/listener/command.ts"

const invalid = (reply: string) => ({ _tag: "Invalid", reply })
const mail = (sender: string, parameters: object = {}) => ({
  _tag: "Mail",
  sender,
  parameters: { size: null, utf8: false, ...parameters }
})

describe("parseCommand", () => {
  it.each([
    ["EHLO client.example", { _tag: "Hello", verb: "EHLO" }],
    ["ehlo [192.0.2.1]", { _tag: "Hello", verb: "EHLO" }],
    ["HELO  x ", { _tag: "Hello", verb: "HELO" }],
    ["LHLO x", { _tag: "Hello", verb: "LHLO" }],
    ["EHLO", invalid("badSyntax")],
    ["EHLO a b", invalid("badSyntax")],
    ["DATA", { _tag: "Data" }],
    ["data  ", { _tag: "Data" }],
    ["DATA x", invalid("badSyntax")],
    ["RSET", { _tag: "Rset" }],
    ["QUIT", { _tag: "Quit" }],
    ["QUIT now", invalid("badSyntax")],
    ["NOOP", { _tag: "Noop" }],
    ["NOOP anything", { _tag: "Noop" }],
    ["HELP MAIL", { _tag: "Help" }],
    ["VRFY ada", { _tag: "Vrfy" }],
    ["VRFY", invalid("badSyntax")],
    ["STARTTLS", { _tag: "StartTls" }],
    ["STARTTLS x", invalid("badSyntax")],
    ["EXPN list", invalid("notImplemented")],
    ["BDAT 10 LAST", invalid("notImplemented")],
    ["ETRN example.org", invalid("notImplemented")],
    ["WIZ", invalid("unknownCommand")],
    ["XCLIENT ADDR=192.0.2.1", invalid("unknownCommand")],
    ["", invalid("unknownCommand")],
    [" NOOP", invalid("unknownCommand")],
    [".", invalid("unknownCommand")],
    ["GET / HTTP/1.1", invalid("notSmtp")],
    ["POST / HTTP/1.1", invalid("notSmtp")]
  ])("parses or refuses the command %j", (line, expected) => {
    expect(parseCommand(line)).toEqual(expected)
  })

  it.each([
    ["MAIL FROM:<>", mail("")],
    ["MAIL FROM:<ada@example.org>", mail("ada@example.org")],
    ["mail from: <ada@example.org> ", mail("ada@example.org")],
    ["MAIL FROM:<ada@localhost>", mail("ada@localhost")],
    ["MAIL FROM:<ada@[192.0.2.1]>", mail("ada@[192.0.2.1]")],
    ['MAIL FROM:<"a > b"@example.org>', mail('"a > b"@example.org')],
    ["MAIL FROM:<@one.example,@two.example:ada@example.org>", mail("ada@example.org")],
    ["MAIL FROM:<a@b.example> SIZE=1000 BODY=8BITMIME", mail("a@b.example", { size: 1000 })],
    ["MAIL FROM:<a@b.example> size=0 body=7bit", mail("a@b.example", { size: 0 })],
    ["MAIL FROM:<ä@b.example> SMTPUTF8", mail("ä@b.example", { utf8: true })],
    ["MAIL FROM:<a@b.example> AUTH=<>", mail("a@b.example")],
    ["MAIL FROM:ada@example.org", invalid("badSender")],
    ["MAIL FROM:<ada>", invalid("badSender")],
    ["MAIL FROM:<ada@example.org", invalid("badSender")],
    ["MAIL FROM:<a@b@c>", invalid("badSender")],
    ["MAIL FROM:<a b@c.example>", invalid("badSender")],
    ["MAIL FROM:<a@b.example>SIZE=1", invalid("badSender")],
    [`MAIL FROM:<${"a".repeat(250)}@b.example>`, invalid("badSender")],
    ["MAIL <a@b.example>", invalid("badSyntax")],
    ["MAIL", invalid("badSyntax")],
    ["MAIL FROM:<a@b.example> SIZE=", invalid("badSyntax")],
    ["MAIL FROM:<a@b.example> SIZE=x", invalid("badSyntax")],
    ["MAIL FROM:<a@b.example> SIZE=1 SIZE=2", invalid("badSyntax")],
    ["MAIL FROM:<a@b.example> BODY=BINARYMIME", invalid("badSyntax")],
    ["MAIL FROM:<a@b.example> SMTPUTF8=1", invalid("badSyntax")],
    ["MAIL FROM:<a@b.example> RET=FULL", invalid("unknownParameter")]
  ])("parses or refuses the sender of %j", (line, expected) => {
    expect(parseCommand(line)).toEqual(expected)
  })

  it.each([
    ["RCPT TO:<ada@example.org>", { _tag: "Rcpt", recipient: "ada@example.org" }],
    ["rcpt to: <ada@example.org>", { _tag: "Rcpt", recipient: "ada@example.org" }],
    ["RCPT TO:<>", invalid("badRecipient")],
    ["RCPT TO:ada@example.org", invalid("badRecipient")],
    ["RCPT TO:<postmaster>", invalid("badRecipient")],
    ["RCPT TO:<a@b.example> NOTIFY=NEVER", invalid("unknownParameter")],
    ["RCPT <a@b.example>", invalid("badSyntax")]
  ])("parses or refuses the recipient of %j", (line, expected) => {
    expect(parseCommand(line)).toEqual(expected)
  })

  it.each([
    ["AUTH PLAIN", { _tag: "Auth", mechanism: "PLAIN", initialResponse: null }],
    ["auth login dXNlcg==", { _tag: "Auth", mechanism: "LOGIN", initialResponse: "dXNlcg==" }],
    ["AUTH PLAIN =", { _tag: "Auth", mechanism: "PLAIN", initialResponse: "=" }],
    ["AUTH", invalid("badSyntax")],
    ["AUTH PLAIN a b", invalid("badSyntax")]
  ])("parses or refuses the mechanism of %j", (line, expected) => {
    expect(parseCommand(line)).toEqual(expected)
  })

  it("gives no path with a line end or an angle bracket outside of quotes, whatever the line", () => {
    const piece = fc.constantFrom(
      "MAIL FROM:",
      "RCPT TO:",
      "<",
      ">",
      "@",
      '"',
      "\\",
      " ",
      "a",
      "b.example",
      "ä",
      ":",
      ",",
      "="
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const command = parseCommand(pieces.join(""))
        const path = command._tag === "Mail" ? command.sender : command._tag === "Rcpt" ? command.recipient : ""
        expect(path.replace(/"(?:[^"\\]|\\.)*"/g, "")).not.toMatch(/[<>\s]/)
      }),
      { numRuns: 2000 }
    )
  })

  it("takes bounded time for a line of the maximum length", () => {
    const hostile = ["MAIL FROM:<", "@a,", "a@b.example> ", '"', "\\", "A=B ", "((((", "@"]
    const start = performance.now()
    for (const piece of hostile)
      for (const head of ["MAIL FROM:", "MAIL FROM:<", "RCPT TO:<@", "EHLO ", "AUTH ", ""])
        parseCommand(head + piece.repeat(12_288 / piece.length))
    expect(performance.now() - start).toBeLessThan(60_000)
  })
})

import { describe, expect, it } from "vitest"
import type { RefusedCommand } from "../../src/reports/MailReport.ts"
import { refusedCommandsIn } from "../../src/reports/refusedCommand.ts"

describe("refusedCommandsIn", () => {
  it.each<[string, RefusedCommand | null]>([
    ["host mx said: 550 no (in reply to RCPT TO command)", "rcpt"],
    ["host mx said: 550 no (in reply to end of\n    DATA command)", "data"],
    ["host mx said: 550 no (in reply to MAIL FROM command)", "mail"],
    ["host mx said: 550 no (in reply to HELO command)", "connect"],
    ["host mx refused to talk to me: 554 no", "connect"],
    ["SMTP error from remote mail server after RCPT TO:<a@b.example>: 550", "rcpt"],
    ["SMTP error from remote mail server after end of data: 550", "data"],
    ["SMTP error from remote mailer after pipelined MAIL FROM:<a@b.example>: 550", "mail"],
    ["SMTP error from remote mail server after initial connection: 554", "connect"],
    ["SMTP error from remote server after RCPT command:", "rcpt"],
    ["... while talking to mx:\n>>> DATA\n<<< 550 no", "data"],
    [">>> RCPT To:<a@b.example>\n<<< 550 no", "rcpt"],
    ["mx.example.org did not like our RCPT TO:", "rcpt"],
    ["mx.example.org did not like our final DATA:", "data"],
    ["192.0.2.1 does not like recipient.", "rcpt"],
    ["Connected to 192.0.2.1 but sender was rejected.", "mail"],
    ["192.0.2.1 failed after I sent the message.", "data"],
    ["Connected to 192.0.2.1 but greeting failed.", "connect"],
    ["Status: 5.0.0 (Remote SMTP server has rejected address)", "rcpt"],
    ["Remote host said: 501 refused [MAIL_FROM]", "mail"],
    ["-------SMTP command\nDATA", "data"],
    ["hMailServer sent: RCPT TO:<a@b.example>", "rcpt"],
    ["The message could not be delivered.", null]
  ])("finds the refused command in %j", (text, command) => {
    expect(refusedCommandsIn(text).commandFor([])).toBe(command)
  })

  it("assigns each of several commands to the reply next to it", () => {
    const filler = "x".repeat(2000)
    const text = [
      "<ada@example.org>: host mx said: 550 Nobody here (in reply to RCPT TO command)",
      filler,
      "<bob@example.org>: host mx said: 550 Not wanted (in reply to end of DATA command)"
    ].join("\n")
    const commands = refusedCommandsIn(text)
    expect(commands.commandFor(["550 Nobody here"])).toBe("rcpt")
    expect(commands.commandFor(["absent", "bob@example.org"])).toBe("data")
    expect(commands.commandFor(["absent"])).toBeNull()
  })

  it("assigns no command to a reply that is far from every command", () => {
    const text = `(in reply to RCPT TO command) (in reply to DATA command) ${"x".repeat(5000)} 550 alone`
    expect(refusedCommandsIn(text).commandFor(["550 alone"])).toBeNull()
  })
})

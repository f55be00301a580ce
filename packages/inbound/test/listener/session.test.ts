/**
 * Tests of the state of a connection: which command is allowed in which state.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ReplyName } from "../../src/listener/protocolReplies.ts"
import { protocolReply } from "../../src/listener/protocolReplies.ts"
import type { Session, SessionRules, SessionStep } from "../../src/listener/session.ts"
import { freshSession, greeting, stepSession } from "../../src/listener/session.ts"
import {
  afterApiKey,
  afterMessage,
  afterRecipient,
  afterRefusedData,
  afterSender
} from "../../src/listener/sessionChecks.ts"
import { plainResponse } from "../smtpClient.ts"
import { openRules } from "./memoryClientSocket.ts"

const rules: SessionRules = {
  ...openRules,
  recipientsMax: 2,
  commandsMax: 1000,
  errorsMax: 1000,
  offersTls: true,
  needsApiKey: true,
  allowsClearApiKey: true
}

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** Runs commands. Each check succeeds. */
const after = (lines: ReadonlyArray<string>, with_: SessionRules = rules, secure = false): SessionStep => {
  let step: SessionStep = {
    session: freshSession(secure),
    action: { _tag: "Reply", reply: greeting(with_) }
  }
  for (const line of lines) {
    step = stepSession(with_, step.session, line)
    const { session, action } = step
    if (action._tag === "CheckApiKey") step = afterApiKey(with_, session, null)
    else if (action._tag === "CheckSender") step = afterSender(with_, session, action.transaction, null)
    else if (action._tag === "CheckRecipient") step = afterRecipient(with_, session, action.recipient, null)
    else if (action._tag === "StartTls") step = { session: freshSession(true, session), action }
    else if (action._tag === "CheckData") step = { session: afterMessage(session, [protocolReply("ok")]), action }
  }
  return step
}

const replyOf = ({ action }: SessionStep) => (action._tag === "Reply" ? action.reply : action._tag)
const replies = (name: ReplyName) => protocolReply(name)

const authenticated = ["EHLO c", `AUTH PLAIN ${plainResponse("apikey", "k")}`]
const withSender = [...authenticated, "MAIL FROM:<a@example.org>"]
const withRecipient = [...withSender, "RCPT TO:<b@example.org>"]

/** A simple model: whether a message may follow these commands. A listener with TLS and API keys. */
const mayTakeMessage = (lines: ReadonlyArray<string>): boolean => {
  let [greeted, secure, hasApiKey, sender, recipient, responds] = ["", false, false, false, false, false]
  for (const line of lines) {
    const verb = line.split(" ")[0]!
    if (responds) {
      hasApiKey ||= line === plainResponse("apikey", "k")
      responds = false
    } else if (verb === "EHLO" || verb === "HELO") [greeted, sender, recipient] = [verb, false, false]
    else if (verb === "AUTH") responds = greeted === "EHLO" && !hasApiKey && !sender
    else if (verb === "STARTTLS" && greeted === "EHLO" && !secure)
      [greeted, secure, hasApiKey, sender, recipient] = ["", true, false, false, false]
    else if (verb === "MAIL") sender ||= greeted !== "" && hasApiKey
    else if (verb === "RCPT") recipient ||= sender
    else if (verb === "RSET" || (verb === "DATA" && recipient)) [sender, recipient] = [false, false]
  }
  return recipient && !responds
}

describe("stepSession", () => {
  it.each<readonly [ReadonlyArray<string>, ReplyName]>([
    [["NOOP"], "ok"],
    [["HELP"], "help"],
    [["VRFY ada"], "cannotVerify"],
    [["QUIT"], "goodbye"],
    [["GET / HTTP/1.1"], "notSmtp"],
    [["EHLO c", "GET / HTTP/1.1"], "unknownCommand"],
    [["LHLO c"], "unknownCommand"],
    [["AUTH PLAIN"], "badSequence"],
    [["HELO c", "AUTH PLAIN"], "badSequence"],
    [["EHLO c", "AUTH CRAM-MD5"], "unknownMechanism"],
    [["EHLO c", "AUTH PLAIN !"], "badBase64"],
    [["EHLO c", `AUTH PLAIN ${base64("apikey")}`], "badPlain"],
    [["EHLO c", `AUTH PLAIN ${base64("other\0apikey\0k")}`], "badPlain"],
    [["EHLO c", "AUTH PLAIN", "*"], "canceled"],
    [["EHLO c", "AUTH LOGIN", base64("apikey"), "*"], "canceled"],
    [["EHLO c", "AUTH LOGIN", base64("apikey"), base64("k")], "authenticated"],
    [["EHLO c", `AUTH LOGIN ${base64("apikey")}`, base64("k")], "authenticated"],
    [["EHLO c", "AUTH PLAIN", plainResponse("apikey", "k")], "authenticated"],
    [[...authenticated, "AUTH PLAIN"], "badSequence"],
    [["MAIL FROM:<a@example.org>"], "badSequence"],
    [["EHLO c", "MAIL FROM:<a@example.org>"], "authenticationRequired"],
    [withSender, "senderOk"],
    [[...withSender, "MAIL FROM:<a@example.org>"], "badSequence"],
    [[...withSender, "AUTH PLAIN"], "badSequence"],
    [[...authenticated, "MAIL FROM:<a@example.org> SIZE=1000001"], "tooLarge"],
    [[...authenticated, "MAIL FROM:<a@example.org> SIZE=99999999999999999999"], "tooLarge"],
    [[...authenticated, "MAIL FROM:<ä@example.org>"], "unicodeNotAnnounced"],
    [[...authenticated, "MAIL FROM:<ä@example.org> SMTPUTF8"], "senderOk"],
    [[...authenticated, "RCPT TO:<b@example.org>"], "badSequence"],
    [withRecipient, "recipientOk"],
    [[...withSender, "RCPT TO:<ä@example.org>"], "unicodeNotAnnounced"],
    [[...withRecipient, "RCPT TO:<c@example.org>", "RCPT TO:<d@example.org>"], "tooManyRecipients"],
    [[...authenticated, "DATA"], "badSequence"],
    [[...withSender, "DATA"], "noRecipients"],
    [[...withRecipient, "RSET", "DATA"], "badSequence"],
    [[...withRecipient, "EHLO c", "DATA"], "badSequence"],
    [[...withRecipient, "DATA", "DATA"], "badSequence"],
    [[...withSender, "DATA", "From: ada@example.org"], "dataWithoutConsent"],
    [["DATA", "Subject: x"], "dataWithoutConsent"],
    [[...withSender, "DATA", "RSET", "Subject: x"], "unknownCommand"],
    [["STARTTLS"], "badSequence"],
    [["EHLO c", "STARTTLS", "STARTTLS"], "badSequence"]
  ])("answers the last of %j with %s", (lines, name) => {
    expect(replyOf(after(lines))).toEqual(replies(name))
  })

  it("forgets the greeting, the API key and the transaction when TLS begins", () => {
    const { session } = after([...withRecipient, "STARTTLS"])
    expect(session).toMatchObject({ greeted: "no", secure: true, authenticated: false, transaction: null })
    expect(replyOf(after([...withRecipient, "STARTTLS", "EHLO c", "DATA"]))).toEqual(replies("badSequence"))
  })

  it("refuses an API key without TLS from another machine, and offers AUTH only after TLS", () => {
    const remote = { ...rules, allowsClearApiKey: false }
    expect(replyOf(after(["EHLO c", "AUTH PLAIN"], remote))).toEqual(replies("encryptionRequired"))
    expect(replyOf(after(["EHLO c", "MAIL FROM:<a@example.org>"], remote))).toEqual(replies("tlsRequired"))
    expect(replyOf(after(["EHLO c"], remote))).toMatchObject({
      lines: expect.not.arrayContaining(["AUTH PLAIN LOGIN"])
    })
    expect(replyOf(after(["EHLO c"], remote, true))).toMatchObject({
      lines: expect.arrayContaining(["AUTH PLAIN LOGIN"])
    })
  })

  it("announces its extensions in reply to EHLO, and nothing in reply to HELO", () => {
    expect(replyOf(after(["EHLO c"]))).toEqual({
      code: 250,
      enhancedCode: null,
      lines: [
        "mail.test",
        "PIPELINING",
        "SIZE 1000000",
        "8BITMIME",
        "SMTPUTF8",
        "ENHANCEDSTATUSCODES",
        "STARTTLS",
        "AUTH PLAIN LOGIN"
      ],
      closes: false
    })
    expect(replyOf(after(["HELO c"]))).toMatchObject({ lines: ["mail.test"] })
    expect(replyOf(after(["EHLO c"], rules, true))).toMatchObject({ lines: expect.not.arrayContaining(["STARTTLS"]) })
  })

  it("knows LHLO and not EHLO when it speaks LMTP", () => {
    const lmtp = { ...rules, protocol: "lmtp", needsApiKey: false } as const
    expect(replyOf(after(["EHLO c"], lmtp))).toEqual(replies("unknownCommand"))
    expect(replyOf(after(["LHLO c", "MAIL FROM:<>"], lmtp))).toEqual(replies("senderOk"))
    expect(replyOf(after(["LHLO c", "AUTH PLAIN"], lmtp))).toEqual(replies("notImplemented"))
    expect(greeting(lmtp).lines).toEqual(["mail.test LMTP"])
  })

  it("answers DATA without a recipient with 503 when it speaks LMTP", () => {
    const lmtp = { ...rules, protocol: "lmtp", needsApiKey: false } as const
    expect(replyOf(after(["LHLO c", "MAIL FROM:<>", "DATA"], lmtp))).toEqual(replies("badSequence"))
  })

  it("refuses STARTTLS when the listener has no certificate", () => {
    expect(replyOf(after(["EHLO c", "STARTTLS"], { ...rules, offersTls: false }))).toEqual(replies("notImplemented"))
  })

  it("closes the connection after too many refused commands", () => {
    const strict = { ...rules, errorsMax: 2 }
    expect(replyOf(after(["WIZ", "WIZ"], strict))).toEqual(replies("unknownCommand"))
    expect(replyOf(after(["WIZ", "WIZ", "WIZ"], strict))).toEqual(replies("tooManyErrors"))
  })

  it("forgets refused commands after an accepted message", () => {
    const { session } = after([...withRecipient, "WIZ", "WIZ", "DATA"])
    expect(session.errors).toBe(0)
    expect(afterMessage({ ...session, errors: 3 }, [replies("brokenMessage")]).errors).toBe(4)
  })

  it("closes the connection after too many commands", () => {
    const strict = { ...rules, commandsMax: 3 }
    expect(replyOf(after(["NOOP", "NOOP", "NOOP"], strict))).toEqual(replies("ok"))
    expect(replyOf(after(["NOOP", "NOOP", "NOOP", "NOOP"], strict))).toEqual(replies("tooManyCommands"))
  })

  it("closes the connection after too many refused API keys, also when TLS begins between them", () => {
    const refuse = (session: Session) => afterApiKey(rules, session, replies("authenticationRequired"))
    const twice = refuse(refuse(freshSession(false)).session)
    expect(replyOf(twice)).toEqual(replies("authenticationRequired"))
    expect(replyOf(refuse(twice.session))).toEqual(replies("tooManyErrors"))
    expect(replyOf(refuse(freshSession(true, twice.session)))).toEqual(replies("tooManyErrors"))
  })

  it("does not count an API key that could not be checked", () => {
    const { session } = afterApiKey(rules, freshSession(false), replies("internalError"))
    expect(session).toMatchObject({ apiKeyFailures: 0, errors: 0, authenticated: false })
  })

  it("reads no line of a message as a command when the check before the message has refused it", () => {
    const { session } = after(withRecipient)
    const refused = afterRefusedData(rules, session, protocolReply("noMemory"))
    expect(replyOf(refused)).toEqual(replies("noMemory"))
    expect(replyOf(stepSession(rules, refused.session, "Subject: x"))).toEqual(replies("dataWithoutConsent"))
    expect(replyOf(stepSession(rules, refused.session, "DATA"))).toEqual(replies("badSequence"))
    expect(replyOf(stepSession(rules, refused.session, "RSET"))).toEqual(replies("ok"))
  })

  it("refuses a line that is not text, and ends AUTH", () => {
    const { session } = after(["EHLO c", "AUTH PLAIN"])
    const step = stepSession(rules, session, null)
    expect(replyOf(step)).toEqual(replies("notText"))
    expect(step.session.exchange).toBe(null)
  })

  it("takes a message only after EHLO, an API key, a sender and a recipient, whatever the commands", () => {
    const auth = ["AUTH PLAIN", plainResponse("apikey", "k")]
    const commands = fc.constantFrom(
      ["EHLO c"],
      ["HELO c"],
      auth,
      ["EHLO c", ...auth],
      ["MAIL FROM:<a@example.org>"],
      ["RCPT TO:<b@example.org>"],
      ["MAIL FROM:<a@example.org>", "RCPT TO:<b@example.org>"],
      ["RSET"],
      ["DATA"],
      ["STARTTLS"],
      ["*"]
    )
    let taken = 0
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 10 }), (groups) => {
        const lines = groups.flat()
        const isTaken = after([...lines, "DATA"]).action._tag === "CheckData"
        if (isTaken) taken++
        expect(isTaken).toBe(mayTakeMessage(lines))
      }),
      { numRuns: 5000 }
    )
    expect(taken).toBeGreaterThan(20)
  })
})

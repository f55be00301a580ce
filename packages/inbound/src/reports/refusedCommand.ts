/**
 * Finds which SMTP command the remote system refused, from the words of well-known mail systems. The answer decides whether a text about an
 * unknown user is believed: a refusal after `DATA` is about the message (RFC 5321 §4.3.2), whatever its words say.
 */
import type { RefusedCommand } from "./MailReport.ts"

interface CommandRule {
  /** Mail systems that write so. */
  readonly mailers: string
  /** The first group is the name of the command, if the rule has no fixed command. */
  readonly text: RegExp
  readonly command?: RefusedCommand
}

const rules: ReadonlyArray<CommandRule> = [
  { mailers: "Postfix", text: /\(in reply to ((?:end of )?[a-z]{4}(?: from| to)?) command\)/gi },
  {
    mailers: "Postfix",
    text: /refused to talk to me|while performing the (?:HELO|EHLO|LHLO) handshake|while receiving the initial/gi,
    command: "connect"
  },
  {
    mailers: "Exim, GMX",
    text: /error from remote (?:mail ?)?(?:server|mailer) after (?:pipelined )?(end of data|mail from|rcpt to|rcpt|data|initial connection|[a-z]{4})/gi
  },
  { mailers: "sendmail, Courier", text: />>> ?(MAIL|RCPT|DATA|EHLO|HELO|AUTH)\b/gi },
  { mailers: "DragonFly Mail Agent", text: /did not like our (?:final )?(MAIL FROM|RCPT TO|DATA|EHLO|HELO)/gi },
  { mailers: "qmail", text: /does not like recipient/gi, command: "rcpt" },
  { mailers: "qmail", text: /but sender was rejected/gi, command: "mail" },
  { mailers: "qmail", text: /failed (?:after I sent the message|on DATA command)/gi, command: "data" },
  {
    mailers: "qmail",
    text: /but greeting failed|but (?:the )?connection (?:was )?died|but my name was rejected/gi,
    command: "connect"
  },
  { mailers: "Oracle Messaging Server", text: /remote SMTP server has rejected address/gi, command: "rcpt" },
  { mailers: "hMailServer", text: /hMailServer sent: ?(MAIL|RCPT|DATA|EHLO|HELO)\b/gi },
  { mailers: "Yahoo", text: /\[(MAIL_FROM|RCPT_TO)\]/g },
  { mailers: "m-FILTER", text: /-SMTP command\s{1,4}(MAIL|RCPT|DATA|EHLO|HELO)\b/gi }
]

const commandNamed = (name: string): RefusedCommand => {
  const first = name.slice(0, 4).toLowerCase()
  if (first === "rcpt" || first === "mail" || first === "data") return first
  return first.startsWith("end") ? "data" : "connect"
}

/** A statement of a text about a refused command. */
interface Mention {
  readonly at: number
  readonly command: RefusedCommand
}

const mentionsMax = 200
const textCharactersMax = 65_536
const nearCharacters = 1200

const mentionsIn = (text: string): ReadonlyArray<Mention> => {
  const mentions: Array<Mention> = []
  for (const { text: pattern, command } of rules)
    for (const match of text.matchAll(pattern)) {
      if (mentions.length >= mentionsMax) return mentions
      mentions.push({ at: match.index, command: command ?? commandNamed(match[1] ?? "") })
    }
  return mentions
}

/** Answers for the recipients of one explanation. The explanation is scanned once. */
export interface RefusedCommands {
  /** Returns the refused command, or `null` if the text gives none or several. `near` are texts that are next to the right one. */
  readonly commandFor: (near: ReadonlyArray<string>) => RefusedCommand | null
}

/** Reads the explanation of a report, or one paragraph of it. Reads at most 64 Ki characters. */
export const refusedCommandsIn = (explanation: string): RefusedCommands => {
  const text = explanation.slice(0, textCharactersMax).replace(/\s+/g, " ")
  const folded = text.toLowerCase()
  const mentions = mentionsIn(text)
  const commands = new Set(mentions.map(({ command }) => command))
  const [only] = commands
  return {
    commandFor: (near) => {
      if (only === undefined || commands.size === 1) return only ?? null
      for (const each of near) {
        const key = each.replace(/\s+/g, " ").trim().slice(0, 60).toLowerCase()
        const at = key === "" ? -1 : folded.indexOf(key)
        if (at === -1) continue
        const distance = (mention: Mention) => Math.abs(mention.at - at)
        const nearest = mentions.toSorted((one, other) => distance(one) - distance(other))[0]
        if (nearest !== undefined && distance(nearest) <= nearCharacters) return nearest.command
      }
      return null
    }
  }
}

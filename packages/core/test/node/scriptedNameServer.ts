/**
 * A name server on a UDP port of this machine, whose answers a law chooses.
 */
import type { RemoteInfo } from "node:dgram"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import type { NameAnswer, NameServer } from "@mailkeep/conformance"
import type { Answer, Packet, Question } from "dns-packet"
import { AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet"
import { Effect } from "effect"
import type { Scope } from "effect"

/** The codes of replies (RFC 1035, section 4.1.1). */
const noError = 0
const serverFailure = 2
const nameError = 3
const refused = 5

interface Reply {
  readonly code: number
  readonly answers: ReadonlyArray<Answer>
}

const recordsOf = (
  name: string,
  type: Question["type"],
  { texts = [], exchanges = [] }: Extract<NameAnswer, { readonly does: "exist" }>
): ReadonlyArray<Answer> => {
  if (type === "TXT") return texts.map((strings) => ({ type, name, data: [...strings] }))
  if (type === "MX")
    return exchanges.map(({ exchange, priority }) => ({ type, name, data: { exchange, preference: priority } }))
  return []
}

/** Returns `undefined` for a name that nobody answers. */
const replyTo = (answers: ReadonlyMap<string, NameAnswer>, name: string, type: Question["type"]): Reply | undefined => {
  const answer = answers.get(name.toLowerCase())
  switch (answer?.does) {
    case "exist":
      return { code: noError, answers: recordsOf(name, type, answer) }
    case "alias": {
      const target = replyTo(answers, answer.of, type)
      return target && { ...target, answers: [{ type: "CNAME", name, data: answer.of }, ...target.answers] }
    }
    case "fail":
      return { code: serverFailure, answers: [] }
    case "refuse":
      return { code: refused, answers: [] }
    case "hang":
      return undefined
    case undefined:
      return { code: nameError, answers: [] }
  }
}

/** Opens the name server until the scope closes. */
export const scriptedNameServer: Effect.Effect<
  { readonly address: string; readonly nameServer: NameServer },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const answers = new Map<string, NameAnswer>()
  const asked: Array<string> = []
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => createSocket("udp4")),
    (open) => Effect.promise(() => new Promise<void>((resolve) => void open.close(resolve)))
  )
  socket.on("message", (bytes: Buffer, from: RemoteInfo) => {
    const { id = 0, questions = [] } = decode(bytes)
    const [question] = questions
    if (question === undefined) return
    asked.push(question.name)
    const reply = replyTo(answers, question.name, question.type)
    if (reply === undefined) return
    const packet: Packet = {
      type: "response",
      id,
      // The last four bits are the code.
      flags: AUTHORITATIVE_ANSWER | reply.code,
      questions: [question],
      answers: [...reply.answers]
    }
    socket.send(encode(packet), from.port, from.address)
  })
  socket.bind(0, "127.0.0.1")
  yield* Effect.promise(() => once(socket, "listening"))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    nameServer: {
      script: (name, answer) => Effect.sync(() => answers.set(name, answer)),
      asked: Effect.sync(() => [...asked])
    }
  }
})

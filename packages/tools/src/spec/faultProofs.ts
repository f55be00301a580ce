/**
 * Short names for the laws, fault runs, lint rules and tests that invariants cite.
 */
import { testIn } from "./proofs.ts"
import type { Proof } from "./Statement.ts"

const lawIn =
  (file: string) =>
  (id: string): Proof => ({ kind: "law", file: `packages/conformance/src/${file}.ts`, title: id })

const faultRun = (command: string, file: string, title: string): Proof => ({
  kind: "faultRun",
  file: `packages/fault-tests/src/${file}.ts`,
  title,
  command
})

export const law = (
  subject:
    | "claims"
    | "claimFences"
    | "claimFairness"
    | "clockSetBack"
    | "commit"
    | "idempotency"
    | "isolation"
    | "log"
    | "outbox"
    | "processes"
    | "contacts"
    | "durability"
    | "eventDeliveries"
    | "segments"
    | "messageSweeps"
    | "sweeps"
) => lawIn(`store/${subject}`)
export const transportLaw = lawIn("transport/transportLaws")
export const outcomeLaw = lawIn("transport/outcomeLaws")
export const attachmentLaw = lawIn("transport/attachmentLaws")
export const kill = faultRun(
  "kill",
  "kill/killLoop",
  "problems: lost, stuck, or duplicated without an ambiguous attempt"
)
export const transactions = faultRun(
  "transactions",
  "transactions/transactionRun",
  "mails lost, doubled, or sent without a commit"
)
export const within = testIn("mailkeep/test/within")
export const withinRefusals = testIn("mailkeep/test/withinRefusals")
export const outbox = testIn("mailkeep/test/outbox")
export const freeze = faultRun("freeze", "freeze/freezeLoop", "duplicates, each after an ambiguous attempt")
export const power = faultRun("power", "power/powerCuts", "power cuts that lost or corrupted data")
export const calls = faultRun("syscalls", "syscalls/everyCall", "runs that lost data or could not recover")
export const simulation = faultRun(
  "simulate",
  "simulation/simulation",
  "seeds with a lost, stuck or unexplained delivery"
)
export const fuzz = faultRun("http", "fuzz/httpFuzz", "requests answered")
export const relay = faultRun("relay", "relay/exactlyOnce", "messages parsed back by two parsers")
export const tampering = faultRun("relay", "relay/signatureVerdict", "changed messages, each refused by all verifiers")
export const injection = faultRun("injection", "relay/injection/injectionRun", "injections that got through")
export const bounces = faultRun("bounces", "relay/bounces/bounceRun", "forged reports, each refused")
export const attack = faultRun("attack", "attack/attackRun", "attacks at the same time")
export const crashPoints = testIn("fault-tests/test/crashPoints")("recovers from a crash at every write of $name")
export const surroundings = testIn("fault-tests/test/surroundings")
export const olderFile = testIn("sqlite/test/olderFile")
export const opening = testIn("sqlite/test/opening")
export const lockedFile = testIn("sqlite/test/lockedFile")
export const changedFile = testIn("sqlite/test/changedFile")
export const fullDisk = testIn("sqlite/test/fullDisk")
export const groups = testIn("sqlite/test/groupCommit")
export const commitThread = testIn("sqlite/test/commitThread")
export const composed = testIn("smtp/test/composeMessage")
export const signed = testIn("smtp/test/dkim")
export const envelope = testIn("smtp/test/envelope")
export const encryptionFaults = testIn("smtp/test/encryptionFaults")
export const deadWorker = testIn("core/test/service/delivery/deadWorker")
export const lateWorker = testIn("core/test/service/delivery/lateWorker")
export const fairness = testIn("core/test/service/delivery/fairness")
export const clockSetBack = testIn("core/test/service/delivery/clockSetBack")
export const sweeping = testIn("core/test/service/store/sweeping")
export const model = testIn("core/test/service/message/model")("gives the same results as the model")
export const replies = testIn("core/test/domain/delivery/SmtpReply")
export const anyHandOffResult = testIn("core/test/decide/delivery/anyHandOffResult")

/** Cites a rule of the lint configuration by its message. */
export const lintRule = (message: string): Proof => ({ kind: "lintRule", file: ".oxlintrc.json", title: message })

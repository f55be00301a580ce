/**
 * The laws of the DNS resolver. The core decides by its answers whether a domain may send mail.
 */
import type { DnsFailure, DnsResolver, MailExchange } from "@mailkeep/core/adapter"
import { secondMillis } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { until } from "../awaiting.ts"
import { failureOf, holds, same } from "../expectation.ts"
import type { LawBook, Violation } from "../Law.ts"
import type { NameAnswer, NameServerUnderLaw, ResolverSubject } from "./ResolverSubject.ts"
import { openResolver, resolverLaw } from "./ResolverSubject.ts"

const name = "mailkeep._domainkey.shop.example"

const textsOf = (...texts: ReadonlyArray<string>): NameAnswer => ({
  does: "exist",
  texts: texts.map((text) => [text])
})

/** The records in an order of their own, because a name server may change the order. */
const sorted = (values: ReadonlyArray<string>): ReadonlyArray<string> => values.toSorted()

/** The failure of a query: its class, its code, and whether it is definite. */
const failedQuery = <A>(what: string, query: Effect.Effect<A, DnsFailure>) =>
  Effect.map(failureOf(what, query), ({ _tag, code, definite }) => [_tag, code, definite])

/** The failure of a name that does not exist. */
const missing = ["DnsFailure", "nxdomain", true]
/** The failure of a name without such a record. */
const empty = ["DnsFailure", "nodata", true]

/** Checks that a query fails in this way. */
const fails = <A>(what: string, query: Effect.Effect<A, DnsFailure>, expected: ReadonlyArray<unknown>) =>
  Effect.flatMap(failedQuery(what, query), (failure) => same(`the failure of ${what}`, failure, expected))

const temporaryCodes: ReadonlyArray<DnsFailure["code"]> = ["servfail", "refused", "timeout", "unreachable"]

/** Checks that a query fails, and that the failure says nothing about the name. */
const failsTemporarily = <A>(what: string, query: Effect.Effect<A, DnsFailure>): Effect.Effect<void, Violation> =>
  Effect.gen(function* () {
    const [tag, code, definite] = yield* failedQuery(what, query)
    yield* same(what, [tag, definite], ["DnsFailure", false])
    yield* holds(
      `the code of ${what}`,
      `one of ${temporaryCodes.join(", ")}`,
      temporaryCodes.includes(code as DnsFailure["code"]),
      code
    )
  })

const joinedStrings = resolverLaw(
  "texts/joined",
  "The strings of a TXT record are joined with nothing between them. Each character stays as it is.",
  function* (resolver, nameServer) {
    const records = [
      ["v=DKIM1; k=rsa; p=", "A".repeat(255), "B".repeat(40)],
      ["one ", " two"],
      ['a "quoted" text', "with \\ and \\065; and ;"],
      [" spaces at both ends "]
    ]
    for (const strings of records) {
      yield* nameServer.script(name, { does: "exist", texts: [strings] })
      yield* same("the texts", yield* resolver.texts(name), [strings.join("")])
    }
  }
)

const eachRecord = resolverLaw(
  "texts/each-record",
  "Each TXT record of a name is a text of its own.",
  function* (resolver, nameServer) {
    const texts = ["v=spf1 a:mx.example -all", "v=spf1 -all", "google-site-verification=1", "v=spf1 -all."]
    yield* nameServer.script("bounces.shop.example", textsOf(...texts))
    yield* same("the texts", sorted(yield* resolver.texts("bounces.shop.example")), sorted(texts))
  }
)

/** As the core compares hosts. */
const exchangesOf = (found: ReadonlyArray<MailExchange>) =>
  sorted(found.map(({ exchange, priority }) => `${priority} ${exchange.toLowerCase().replace(/\.$/, "")}`))

const allExchanges = resolverLaw(
  "exchanges/host-and-priority",
  "The MX records of a name have their host and their priority.",
  function* (resolver, nameServer) {
    const exchanges = [
      { exchange: "mx1.mailkeep.example", priority: 10 },
      { exchange: "mx2.mailkeep.example", priority: 0 },
      { exchange: "mx3.mailkeep.example", priority: 65_535 }
    ]
    yield* nameServer.script("bounces.shop.example", { does: "exist", exchanges })
    yield* same("the hosts", exchangesOf(yield* resolver.exchanges("bounces.shop.example")), exchangesOf(exchanges))
  }
)

const followsAliases = resolverLaw(
  "names/aliases-are-followed",
  "The records of an alias are those of the name behind it. If that name does not exist, the alias does not exist either.",
  function* (resolver, nameServer) {
    yield* nameServer.script(name, { does: "alias", of: "key1.provider.example" })
    yield* nameServer.script("key1.provider.example", textsOf("v=DKIM1; p=AAAA"))
    yield* same("the texts of the alias", yield* resolver.texts(name), ["v=DKIM1; p=AAAA"])
    yield* nameServer.script("key1.provider.example", { does: "exist" })
    yield* fails("an alias of a name without texts", resolver.texts(name), empty)
    yield* nameServer.script(name, { does: "alias", of: "key2.provider.example" })
    yield* fails("an alias of a missing name", resolver.texts(name), missing)
  }
)

const eachItsOwn = resolverLaw(
  "names/each-its-own-answer",
  "Of many concurrent queries, each gets the records of its own name. A query that nobody answers delays no other.",
  function* (resolver, nameServer) {
    const names = Array.from({ length: 20 }, (_, n) => `_dmarc.shop${n}.example`)
    yield* Effect.forEach(names, (one) => nameServer.script(one, textsOf(`text of ${one}`)))
    yield* nameServer.script("_dmarc.silent.example", { does: "hang" })
    yield* Effect.forkScoped(Effect.exit(resolver.texts("_dmarc.silent.example")), { startImmediately: true })
    const found = yield* Effect.forEach(names, (one) => resolver.texts(one), { concurrency: "unbounded" })
    yield* same(
      "the texts",
      found,
      names.map((one) => [`text of ${one}`])
    )
  }
)

const absentIsDefinite = resolverLaw(
  "absent/is-definite",
  "A name that does not exist fails with `nxdomain`, and a name without such a record with `nodata`. Both are definite.",
  function* (resolver, nameServer) {
    yield* nameServer.script("exchanges.example", {
      does: "exist",
      exchanges: [{ exchange: "mx.mailkeep.example", priority: 10 }]
    })
    yield* nameServer.script("texts.example", textsOf("v=spf1 -all"))
    yield* fails("the texts of a missing name", resolver.texts("missing.example"), missing)
    yield* fails("the hosts of a missing name", resolver.exchanges("missing.example"), missing)
    yield* fails("the texts of a name without texts", resolver.texts("exchanges.example"), empty)
    yield* fails("the hosts of a name without hosts", resolver.exchanges("texts.example"), empty)
  }
)

const failureIsTemporary = resolverLaw(
  "failure/is-temporary",
  "When a name server fails or refuses, the query fails, and the failure is not definite. A failing name server thus takes no domain from a product.",
  function* (resolver, nameServer) {
    for (const does of ["fail", "refuse"] as const) {
      yield* nameServer.script(name, { does })
      yield* failsTemporarily(`TXT when the name server does ${does}`, resolver.texts(name))
      yield* failsTemporarily(`MX when the name server does ${does}`, resolver.exchanges(name))
    }
  }
)

/** How long the law waits for the timeout of the resolver, in milliseconds. The core itself waits for a minute. */
const ownTimeoutMillisMax = 2 * secondMillis

const silenceIsTemporary = resolverLaw(
  "failure/silence-is-temporary",
  "A query that nobody answers lasts until it is interrupted, or fails, and the failure is not definite.",
  function* (resolver, nameServer) {
    yield* nameServer.script(name, { does: "hang" })
    const query = yield* Effect.forkScoped(resolver.texts(name), { startImmediately: true })
    yield* Effect.timeoutOption(Fiber.await(query), ownTimeoutMillisMax)
    if (query.pollUnsafe() !== undefined) yield* failsTemporarily("a query without an answer", Fiber.join(query))
  }
)

const notKept = resolverLaw(
  "answers/not-kept",
  "Each call asks again: a changed, a new and a removed record show in the next answer.",
  function* (resolver, nameServer) {
    yield* fails("a name before its records", resolver.texts("new.example"), missing)
    yield* nameServer.script("new.example", textsOf("first"))
    yield* same("the texts of a new name", yield* resolver.texts("new.example"), ["first"])
    yield* nameServer.script("new.example", textsOf("second"))
    yield* same("the texts after a change", yield* resolver.texts("new.example"), ["second"])
    yield* nameServer.script("new.example", { does: "exist" })
    yield* fails("a name whose records were removed", resolver.texts("new.example"), empty)
  }
)

const interruptible = resolverLaw(
  "deadline/interruptible",
  "A query that nobody answers can be interrupted, and the next query succeeds.",
  function* (resolver, nameServer) {
    yield* nameServer.script("silent.example", { does: "hang" })
    yield* nameServer.script(name, textsOf("answered"))
    const query = yield* Effect.forkScoped(resolver.texts("silent.example"), { startImmediately: true })
    yield* until(
      "the name server had the query",
      Effect.map(nameServer.asked, (asked) => asked.includes("silent.example"))
    )
    yield* Fiber.interrupt(query)
    yield* same("the next answer", yield* resolver.texts(name), ["answered"])
  }
)

/** The laws of `DnsResolver`. */
export const resolverLaws: LawBook<ResolverSubject, DnsResolver | NameServerUnderLaw> = {
  port: "DNS resolver",
  capabilities: [],
  laws: [
    joinedStrings,
    eachRecord,
    allExchanges,
    followsAliases,
    eachItsOwn,
    absentIsDefinite,
    failureIsTemporary,
    silenceIsTemporary,
    notKept,
    interruptible
  ],
  open: openResolver
}

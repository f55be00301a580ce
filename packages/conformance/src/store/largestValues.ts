/**
 * Laws of the largest values: the store keeps each record and each name that the services accept.
 */
import type { Resource } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, commitResult, insert, put } from "./changes.ts"
import { checkAnswers } from "./queries.ts"
import { noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0021-field-limits.md")

const bodyBytes = 2 * 1024 * 1024

/** Texts of the same form with different numbers. */
const texts = <T extends string>(count: number, textOf: (n: number) => T): ReadonlyArray<T> =>
  Array.from({ length: count }, (_, n) => textOf(n))

const recordsUnchanged = law(
  "values/largest-records-unchanged",
  "The store returns the largest records unchanged: a template of 4 MiB, a contact with 200 properties, a domain, and a message and an idempotency record of 50 recipients.",
  function* (store) {
    const body = {
      ...sample.resource({ name: null }),
      id: "tpb_1",
      kind: "templateBody",
      content: { html: "h".repeat(bodyBytes), text: "ü".repeat(bodyBytes / 2) }
    } as unknown as Resource
    const person = sample.contact({
      properties: Object.fromEntries(texts(200, (n) => `prop_${n}`).map((id) => [id, "🎉".repeat(500)])),
      listIds: texts(1000, (n) => `lst_${n}` as const)
    })
    const sent = sample.message({
      to: texts(50, (n) => `${n}${"a".repeat(50)}@${"b".repeat(190)}.example`),
      headers: Object.fromEntries(texts(20, (n) => `X-${n}`).map((name) => [name, "v".repeat(998)])),
      attachments: texts(20, (n) => `${n}${"f".repeat(250)}`).map((filename) => sample.attachment({ filename }))
    })
    const recorded = sample.idempotencyRecord({
      result: {
        messageId: "msg_1",
        deliveryIds: texts(50, (n) => `${n}${"d".repeat(24)}`).map((end) => `del_${end}` as const),
        totalQueued: 50,
        scheduledAt: noon
      }
    })
    const domain = sample.senderDomain({ dkim: { selector: "mk1", encryptedPrivateKey: "e".repeat(8000) } })
    yield* store.commit([{ _tag: "PutResource", resource: body, replaces: null }])
    yield* commit(store, put.domain(domain), put.contact(person), put.idempotency(recorded), insert.message(sent))
    yield* checkAnswers(store, [
      [{ _tag: "Resource", projectId, id: body.id }, body],
      [{ _tag: "Contact", projectId, id: person.id }, person],
      [{ _tag: "Domain", projectId, domain: domain.domain }, domain],
      [{ _tag: "Message", projectId, id: sent.id }, sent],
      [{ _tag: "Idempotency", projectId, key: recorded.key }, recorded]
    ])
  }
)

/** Records whose names have the greatest length, and this last character. */
const longNamed = (end: string) => ({
  project: sample.project({ id: `${"p".repeat(63)}${end}` }),
  domain: sample.senderDomain({ id: `dom_${end}`, domain: `${"d".repeat(252)}${end}` }),
  list: sample.resource({ id: `lst_${end}`, name: `${"n".repeat(254)}${end}` }),
  contact: sample.contact({ id: `con_${end}`, address: `${"c".repeat(253)}${end}` }),
  suppression: sample.suppression({ addressKey: `${"f".repeat(63)}${end}`, address: null }),
  idempotency: sample.idempotencyRecord({ key: `${"k".repeat(127)}${end}`, fingerprint: end })
})

const namesDiffer = law(
  "values/longest-names-differ",
  "Two names of the greatest length that differ only in their last character are the names of two records.",
  function* (store) {
    const both = ["a", "b"].map(longNamed)
    for (const { project, domain, list, contact, suppression, idempotency } of both)
      for (const change of [
        put.project(project),
        put.domain(domain),
        put.resource(list),
        put.contact(contact),
        put.suppression(suppression),
        put.idempotency(idempotency)
      ])
        yield* same(`the result of ${change._tag}`, yield* commitResult(store, change), "applied")
    for (const { project, domain, list, contact, suppression, idempotency } of both)
      yield* checkAnswers(store, [
        [{ _tag: "Project", id: project.id }, project],
        [{ _tag: "Domain", projectId, domain: domain.domain }, domain],
        [{ _tag: "ResourceNamed", projectId, kind: "list", parent: "", name: list.name! }, list],
        [{ _tag: "ContactsByAddress", projectId, addresses: [contact.address] }, [contact]],
        [{ _tag: "Suppressions", projectId, addressKeys: [suppression.addressKey] }, [suppression]],
        [{ _tag: "Idempotency", projectId, key: idempotency.key }, idempotency]
      ])
  }
)

export const largestValueLaws: ReadonlyArray<StoreLaw> = [recordsUnchanged, namesDiffer]

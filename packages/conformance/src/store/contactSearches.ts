/**
 * Laws of the search for contacts: it finds a literal part of any length, in any case.
 */
import type { ContactRecord } from "@mailkeep/core/adapter"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, put } from "./changes.ts"
import { finds } from "./contactIndexes.ts"

const law = storeLawsFor("decisions/0012-contacts.md")

const searchable: ReadonlyArray<ContactRecord> = [
  sample.numberedContact(1, { firstName: "Zoë", lastName: "🎉🎊x" }),
  sample.numberedContact(2, { firstName: 'say "hi"', lastName: "AND OR NOT" }),
  sample.numberedContact(3, { firstName: "back\\slash*", lastName: "NEAR(a b)^" }),
  sample.numberedContact(4, { firstName: "İstanbul", lastName: "Straße" }),
  sample.numberedContact(5, { firstName: "", lastName: "q" }),
  sample.numberedContact(6, { email: "UPPER.Case@Example.ORG", firstName: "%", lastName: "_" }),
  // The sigma at the end of a word is another small letter than within a word. A wider fold takes the long s for an s.
  sample.numberedContact(7, { email: "seven@seven.test", firstName: "ΟΔΟΣ", lastName: "Maſſe" }),
  sample.numberedContact(8, { email: "eight@eight.test", firstName: "ΝΙΚΟΣΙΑ", lastName: "Σοφός Σ" })
]

/** Searches of one, two and more characters, each with the numbers of the contacts. */
const searches: ReadonlyArray<readonly [search: string, found: ReadonlyArray<number>]> = [
  ["", [8, 7, 6, 5, 4, 3, 2, 1]],
  [" ", [8, 7, 6, 5, 4, 3, 2, 1]],
  ["Z", [1]],
  ["zo", [1]],
  ["ZOË", [1]],
  ["🎉", [1]],
  ["🎉🎊", [1]],
  ["🎊x", [1]],
  ["🎉🎊X", [1]],
  ["ë 🎉", [1]],
  ['"', [2]],
  ['"h', [2]],
  ['"HI"', [2]],
  ["and or", [2]],
  ["NOT", [2]],
  ["k\\", [3]],
  ["k\\S", [3]],
  ["sh*", [3]],
  ["*", [3]],
  ["near(", [3]],
  ["^", [3]],
  ["İ", [4]],
  ["İST", [4]],
  ["istanbul", []],
  ["STRASSE", []],
  ["raß", [4]],
  [" Q", [5]],
  ["% _", [6]],
  ["%", [6]],
  ["_", [6]],
  ["upper.case@example", [6]],
  ["c1@example.org zoë", []],
  ["orgzoë", []],
  ["example", [6, 5, 4, 3, 2, 1]],
  ["ΟΔΟΣ", [7]],
  ["οδος", [7]],
  ["ΔΟΣ", [7]],
  ["δοσ", [7]],
  ["δος m", [7]],
  ["ΝΙΚΟΣ", [8]],
  ["νικος", [8]],
  ["Σ", [8, 7]],
  ["ς", [8, 7]],
  ["ΣΙΑ", [8]],
  ["ΌΣ Σ", [8]],
  ["Σ ΣΟΦΌΣ", []],
  ["ΟΣ", [8, 7]],
  ["maſſe", [7]],
  ["masse", []],
  ["none of them", []]
]

const anyLength = law(
  "contacts/search-of-any-length",
  "A search of one, two or more characters finds a literal part in any case, whatever signs and characters it contains.",
  function* (store) {
    yield* commit(store, ...searchable.map((one) => put.contact(one)))
    for (const [search, found] of searches) yield* finds(store, { search }, found)
  }
)

const searchedInALabels = law(
  "contacts/finds-a-domain-in-a-labels",
  "With `emailPart`, a search also finds the contacts with this part in their email, and none with it in a name.",
  function* (store) {
    const people = [
      sample.numberedContact(1, { email: "Ada@xn--mller-kva.example" }),
      sample.numberedContact(2, { lastName: "MÜLLER" }),
      sample.numberedContact(3, { lastName: "xn--mller-kva" }),
      sample.numberedContact(4)
    ]
    yield* commit(store, ...people.map((one) => put.contact(one)))
    yield* finds(store, { search: "müller", emailPart: "xn--mller-kva" }, [2, 1])
    yield* finds(store, { search: "ADA@müller", emailPart: "ADA@xn--mller-kva" }, [1])
    yield* finds(store, { search: "ü", emailPart: "xn--tda" }, [2])
    yield* finds(store, { search: "müller", emailPart: "xn--mller-kva", emailStatus: "unsubscribed" }, [])
    yield* finds(store, { search: "müller" }, [2])
  }
)

export const contactSearchLaws: ReadonlyArray<StoreLaw> = [anyLength, searchedInALabels]

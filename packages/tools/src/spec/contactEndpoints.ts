/**
 * Statements on the endpoints of contacts and email domains.
 */
import {
  access,
  at,
  contactRequest,
  contacts,
  contactSearch,
  propertyValues,
  refusals,
  section,
  wire,
  wireContacts,
  wireGroups
} from "./proofs.ts"

export const contactEndpoints = section(7, "Contacts", [
  [
    "`GET /api/v1/emails/contacts` with `email.full_access`, by page.",
    [at.api("Contacts")],
    [
      refusals("%s %s requires an API key with %s"),
      contactSearch("lists contacts newest first, in pages, with the total")
    ]
  ],
  [
    "`page` begins at 1; `limit` is 1 to 100, and 50 when omitted.",
    [at.api("Parameters")],
    [wireContacts("answers 409, 404 and 400 for contacts as documented")]
  ],
  [
    "`search` matches email or name.",
    [at.domain("ContactPredicate")],
    [contactSearch("finds contacts by a part of the email or name: %s")],
    "0012-contacts"
  ],
  [
    "`emailStatus` filters by status.",
    [at.api("Contacts")],
    [
      contactSearch("filters contacts by status, and finds none for an unknown list or segment"),
      wireContacts("answers 409, 404 and 400 for contacts as documented")
    ]
  ],
  [
    "`listId` and `segmentId` filter by list and segment.",
    ["packages/core/src/internal/contact/contactReader.ts"],
    [
      wireGroups("gives each list a unique name and a contact count, and filters contacts by list"),
      wireGroups("keeps the filter of a segment as written and filters contacts by segment"),
      contactSearch("filters contacts by status, and finds none for an unknown list or segment")
    ],
    "0026-lists-and-segments"
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `page`, `limit`; `total` counts all matches.",
    [at.api("Contacts")],
    [
      wireContacts("returns created and updated contacts in one shape, and listed contacts in another"),
      contactSearch("lists contacts newest first, in pages, with the total")
    ]
  ],
  [
    "`POST /api/v1/emails/contacts` with `email.full_access`.",
    [at.api("Contacts")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "`email` is required and unique in the project.",
    [at.domain("ContactRequest"), at.decide("contact")],
    [
      contactRequest("validates a new contact with %s"),
      contacts("refuses a second contact with the same address in a project, in any notation")
    ]
  ],
  [
    "`userId` has up to 255 characters.",
    [at.domain("ContactRequest")],
    [contactRequest("validates a new contact with %s")]
  ],
  [
    "`properties` uses existing property keys, case-insensitive; an unknown property key is 400.",
    [at.decide("contactProperties")],
    [
      propertyValues("sets custom properties by key in any case, and refuses undefined keys and other types"),
      contacts("refuses a custom property that is not defined"),
      contactRequest("validates a new contact with %s")
    ],
    "0025-properties"
  ],
  [
    "Create answers 200 with the contact, subscribed.",
    [at.handler("contacts")],
    [wireContacts("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "A duplicate address is 409.",
    [at.decide("contact")],
    [wireContacts("answers 409, 404 and 400 for contacts as documented")]
  ],
  [
    "The document lists 429 for create.",
    [at.api("Contacts")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      ),
      contacts("refuses contacts over the plan's limit, and reports a duplicate first")
    ]
  ],
  [
    "`PUT /api/v1/emails/contacts/{contactId}` with `email.full_access`.",
    [at.api("Contacts")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "Update requires `email`; the current address leaves it unchanged.",
    [at.domain("ContactRequest")],
    [
      contactRequest("validates a new contact with %s"),
      contacts("refuses the address of another contact, and permits a new spelling of the own address")
    ]
  ],
  [
    "`userId: null` clears it; an empty name clears the name.",
    [at.decide("contact")],
    [contacts("keeps fields that an update omits, and clears fields that it sets to empty")]
  ],
  [
    "`properties` replaces all values; when omitted, the values stay.",
    [at.decide("contactProperties")],
    [propertyValues("sets custom properties by key in any case, and refuses undefined keys and other types")],
    "0025-properties"
  ],
  [
    "Omitted fields keep their values.",
    [at.decide("contact")],
    [contacts("keeps fields that an update omits, and clears fields that it sets to empty")]
  ],
  [
    "Update answers 200 in the create shape.",
    [at.handler("contacts")],
    [wireContacts("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "An unknown id is 404.",
    [at.decide("contact")],
    [
      contacts("fails with not_found for an unknown id, an id of another project or a malformed id"),
      wireContacts("answers 409, 404 and 400 for contacts as documented")
    ]
  ],
  [
    "The cases in which an update is 409: not shown.",
    [at.decide("contact")],
    [contacts("refuses the address of another contact, and permits a new spelling of the own address")],
    "0012-contacts"
  ]
])

export const domains = section(8, "List email domains", [
  [
    "`GET /api/v1/emails/domains` by page, `limit` 1 to 100, and 50 when omitted.",
    [at.api("Domains")],
    [wire("lists domains by page")]
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `page`, `limit`.",
    [at.api("Domains")],
    [wire("lists domains by page")]
  ],
  [
    "A client increments `page` until `page × limit` reaches `total`.",
    [at.service("Domains")],
    [
      access("refuses a duplicate domain in a project, and verifies a pending domain manually"),
      contactSearch("lists contacts newest first, in pages, with the total")
    ]
  ],
  [
    "The permission for the list of domains: not shown.",
    [at.api("Domains")],
    [refusals("%s %s requires an API key with %s")],
    "0013-domains"
  ]
])

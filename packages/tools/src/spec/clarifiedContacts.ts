/**
 * Clarifications on contacts, properties, lists, segments and suppressions.
 */
import { law } from "./faultProofs.ts"
import {
  at,
  clarified,
  commandOutput,
  commandRecords,
  contactFile,
  contactFiles,
  contactGroups,
  contactRequest,
  contacts,
  contactSearch,
  contactStatus,
  properties,
  propertyValues,
  refusals,
  suppression,
  suppressionList,
  suppressionRaces,
  wireGroups
} from "./proofs.ts"

export const contactRecords = clarified(6, "Contacts, properties, lists, segments, suppressions", [
  [
    "All spellings of an address are the same address, shown as last written. When two creates run at the same time, one is 409.",
    [at.decide("contact"), at.domain("Address")],
    [
      contacts("refuses a second contact with the same address in a project, in any notation"),
      contacts("creates one contact when 100 creates with one address run at once"),
      contacts("refuses the address of another contact, and permits a new spelling of the own address")
    ],
    "0012-contacts"
  ],
  [
    'Unset names are empty; an unset phone number or user id is null. Each field has a maximum length, and `""` clears a phone number.',
    [at.domain("ContactRequest")],
    [
      contacts("creates a contact as subscribed, with omitted fields unset"),
      contacts("keeps fields that an update omits, and clears fields that it sets to empty"),
      contactRequest("validates a new contact with %s")
    ],
    "0012-contacts"
  ],
  [
    "`source` is `manual` for a single create and `import` for a file.",
    [at.service("ContactFiles")],
    [
      contacts("creates a contact as subscribed, with omitted fields unset"),
      contactFiles("imports a file row by row, and reports each refused row by its line")
    ],
    "0029-contact-files"
  ],
  [
    "The detail of a contact shows its properties, whether it is unsubscribed, and all other suppression reasons. Delete answers success.",
    [at.api("Contacts"), at.handler("contacts")],
    [
      wireGroups("shows a contact in full with its properties by key and its suppression reason"),
      suppressionList("shows the block reason of a contact, except the reason unsubscribed")
    ],
    "0012-contacts"
  ],
  [
    "Delete erases the personal data. Only the suppression remains, under a keyed hash.",
    [at.decide("contact")],
    [suppressionList("keeps an anonymous suppression when a contact is erased")],
    "0012-contacts"
  ],
  [
    "`search` is a part of email, first name, last name or both names. The list is sorted newest first, and a page past the end is empty.",
    [at.domain("ContactPredicate"), "packages/sqlite/src/internal/contactQueries.ts"],
    [
      contactSearch("finds contacts by a part of the email or name: %s"),
      contactSearch("lists contacts newest first, in pages, with the total")
    ],
    "0012-contacts"
  ],
  [
    "`total` is always exact.",
    [at.decide("contactCounts")],
    [contactGroups("counts contacts exactly, in total and by status")],
    "0012-contacts"
  ],
  [
    "An unknown list or segment gives an empty page.",
    ["packages/core/src/internal/contact/contactReader.ts"],
    [contactSearch("filters contacts by status, and finds none for an unknown list or segment")],
    "0026-lists-and-segments"
  ],
  [
    "`properties` replaces all values, null is an absent value, and two spellings of a property key are 400.",
    [at.decide("contactProperties"), at.domain("ContactRequest")],
    [
      propertyValues("sets custom properties by key in any case, and refuses undefined keys and other types"),
      contactRequest("validates a new contact with %s")
    ],
    "0025-properties"
  ],
  [
    "`email_status` is `unsubscribed` exactly while the address has that suppression reason.",
    [at.domain("EmailStatusTable"), at.decide("suppression")],
    [
      contactStatus("sets the status unsubscribed only for the reason unsubscribed"),
      contactStatus("agrees with the suppression list after concurrent changes"),
      contactStatus("unsubscribes a contact that moves to an unsubscribed address")
    ],
    "0012-contacts"
  ],
  [
    "Unsubscribing emits an event only on a change. Subscribing or creating a contact removes only the reason `unsubscribed`.",
    [at.decide("contact")],
    [
      contactStatus("emits contact.unsubscribed only when the status changes"),
      contactStatus("removes only the reason unsubscribed when a contact is created")
    ],
    "0012-contacts"
  ],
  [
    "When an unsubscribed contact gets another address, both addresses have the reason.",
    [at.decide("contact")],
    [contactStatus("copies the reason unsubscribed to a new address, and keeps it at the old address")],
    "0012-contacts"
  ],
  [
    "Unsubscribing an address unsubscribes its contact and emits an event. Without a contact, it only suppresses the address.",
    [at.decide("suppression"), at.service("Suppressions")],
    [
      contactStatus("sets the status unsubscribed only for the reason unsubscribed"),
      suppressionRaces("finalizes no delivery after its suppression is committed, and hands over all others")
    ],
    "0012-contacts"
  ],
  [
    "Properties are listed, created, changed and deleted; the type changes only while no contact has a value.",
    [at.service("Properties"), at.handler("contactGroups")],
    [
      wireGroups("lists properties under data, changes them and deletes them"),
      propertyValues("refuses a duplicate property key, and changes a type only while no contact has a value"),
      propertyValues("stores no value of the old type while the type of a property changes"),
      propertyValues("removes the values of a property with the property, permanently")
    ],
    "0025-properties"
  ],
  [
    "A property key is any one-line text. A fallback is text for every type and is compared as a value of the type.",
    [at.domain("Property"), at.decide("property"), at.domain("Segment")],
    [
      properties("stores, shows, filters, exports and imports the property key %j"),
      properties("compares a fallback of type %s with the text %j as a value of its type"),
      wireGroups("allows the property key %j in a request and returns it in a response"),
      wireGroups("refuses the property %j")
    ],
    "0025-properties"
  ],
  [
    "When a type changes while a contact gets a value, either the change is 409 or the value is 400.",
    [at.decide("property"), at.service("Properties")],
    [properties("refuses either a type change with 409 or the values with 400, and never fails with 503")],
    "0025-properties"
  ],
  [
    "Names and descriptions are one line, and the command prints no terminal control characters.",
    [at.domain("TextRule"), "packages/cli/src/output.ts"],
    [
      contactRequest("validates a new contact with %s"),
      wireGroups("refuses control characters at %s in %j"),
      commandOutput("prints an escape instead of each character that a terminal interprets"),
      commandOutput("prints the stored value as JSON on one line")
    ],
    "0034-checked-input"
  ],
  [
    "Lists have unique names; contacts can be added and removed.",
    [at.decide("contactList"), at.decide("membership"), at.handler("contactGroups")],
    [
      wireGroups("gives each list a unique name and a contact count, and filters contacts by list"),
      contactGroups("lists and counts each contact of a list once, also when it is added twice")
    ],
    "0026-lists-and-segments"
  ],
  [
    "Segments have a closed filter over fields and properties, and every store finds the same contacts.",
    [at.decide("segment"), at.domain("Segment"), at.domain("ContactPredicate")],
    [
      wireGroups("keeps the filter of a segment as written and filters contacts by segment"),
      contactGroups(
        "finds the contacts of a segment by fields, properties and lists, with fallbacks for missing values"
      ),
      contactGroups("reports each invalid condition of a segment by its path"),
      law("segments")("contacts/segment-means-what-it-says")
    ],
    "0026-lists-and-segments"
  ],
  [
    "Suppressions are listed by address, added manually and removed with all their reasons.",
    [at.service("Suppressions"), at.handler("suppressions")],
    [
      wireGroups("shows the strongest and all reasons of a suppression, and removes all reasons together"),
      suppressionList("lists suppressions by address, and refuses a cursor of another search"),
      suppressionList("removes all reasons of an address, and subscribes its contact again")
    ],
    "0012-contacts"
  ],
  [
    "All reasons are stored and the strongest is shown. A suppression for temporary failures expires after 30 days.",
    [at.domain("Suppression")],
    [
      suppression("keeps all reasons and shows the strongest reason"),
      suppression("expires after 30 days only when its reason is temporary_failure")
    ],
    "0012-contacts"
  ],
  [
    "Contacts can be imported and exported as CSV, in process and by the command. Each refused line is reported.",
    [at.service("ContactFiles"), "packages/cli/src/commands/contacts.ts"],
    [
      contactFiles("imports a file row by row, and reports each refused row by its line"),
      contactFiles("exports a file that another project imports with the same contacts"),
      commandRecords("imports contacts from a file, reports each refused line, and exports the contacts")
    ],
    "0029-contact-files"
  ],
  [
    "An export contains no formula, and an import reads the original text.",
    [at.domain("ContactFile")],
    [
      contactFile("writes no cell that begins a formula, and reads the same text back"),
      contactFile("reads an exported contact back for any texts and property keys")
    ],
    "0029-contact-files"
  ],
  [
    "All these records are visible only to their project.",
    [at.domain("Query")],
    [
      wireGroups("answers 404 for the contacts, properties, lists, segments and suppressions of another project"),
      refusals("shows a project no record of another project by its id")
    ]
  ]
])

/**
 * What the interface leaves open of contacts and their groups, suppressions, domains and templates, as decided.
 */
import {
  at,
  commandOutput,
  commandRecords,
  contactFile,
  contactFiles,
  contactGroups,
  contactRequest,
  contacts,
  domainBounds,
  domains,
  properties,
  refusals,
  rendering,
  settled,
  suppression,
  suppressionRaces,
  wire,
  wireDomains,
  wireGroups,
  wireScope,
  wireTemplates,
  templates,
  templateDecisions,
  mustache,
  previewText
} from "./proofs.ts"

export const contactRecords = settled(6, "Contacts, properties, lists, segments, suppressions", [
  [
    "An address is one however it is written, and shown as last given; of two creates at once one is 409.",
    [at.decide("contact"), at.domain("Address")],
    [
      contacts("have an address once in a project, however it is written; another project has its own"),
      contacts("a hundred creates at once with one address make one"),
      contacts("cannot take another's address, but may respell their own")
    ],
    "0012-contacts"
  ],
  [
    'Names unset are empty, phone number and user id unset are null; each has its length, and `""` clears a phone number.',
    [at.domain("ContactRequest")],
    [
      contacts("are created subscribed, with what was left out unset"),
      contacts("keep what an update leaves out, and clear what it says"),
      contactRequest("%s")
    ],
    "0012-contacts"
  ],
  [
    "`source` is `manual` one by one and `import` from a file.",
    [at.service("ContactFiles")],
    [
      contacts("are created subscribed, with what was left out unset"),
      contactFiles("is taken in row by row, and each refused row is told by its line")
    ],
    "0029-contact-files"
  ],
  [
    "One contact is shown with properties, whether it is unsubscribed and why else its mail is held back; delete answers success.",
    [at.api("Contacts"), at.handler("contacts")],
    [
      wireGroups("a contact in full has its properties by key and why its mail is held back"),
      contactGroups("show in full why mail is held back, other than by unsubscribing")
    ],
    "0012-contacts"
  ],
  [
    "Delete erases the person's data and keeps what suppression needs, under a keyed hash.",
    [at.decide("contact")],
    [contactGroups("when erased leave a suppression that holds and names nobody")],
    "0012-contacts"
  ],
  [
    "`search` is a part of email, first name, last name or both; newest first; past the end is empty.",
    [at.domain("ContactPredicate"), "packages/sqlite/src/internal/contactQueries.ts"],
    [
      contacts("are found by a part of email or name: %s"),
      contacts("are listed newest first, page by page, with the number of all")
    ],
    "0012-contacts"
  ],
  [
    "`total` is exact whatever happens.",
    [at.decide("contactCounts")],
    [contactGroups("are counted exactly, in all and by status, whatever happens")],
    "0012-contacts"
  ],
  [
    "An unknown list or segment is an empty page.",
    [at.service("Contacts")],
    [contacts("are filtered by status; of an unknown list or segment there are none")],
    "0026-lists-and-segments"
  ],
  [
    "`properties` replaces the map, null is absent, two spellings of a key are 400.",
    [at.decide("contactProperties"), at.domain("ContactRequest")],
    [
      contactGroups(
        "are set by key in any case, shown by key as defined, and refused when undefined or of another type"
      ),
      contactRequest("%s")
    ],
    "0025-properties"
  ],
  [
    "`email_status` is `unsubscribed` exactly while the address holds that reason.",
    [at.domain("SubscriptionTable"), at.decide("suppression")],
    [
      contacts("mirror the reason unsubscribed and no other"),
      contacts("agree with the suppression list whatever happens at once"),
      contacts("become unsubscribed at an address that is")
    ],
    "0012-contacts"
  ],
  [
    "Unsubscribing emits on a change alone; subscribing lifts that reason alone, as does creating.",
    [at.decide("contact")],
    [
      contacts("emit contact.unsubscribed on a change, and only then"),
      contacts("lift the reason unsubscribed alone when they are created")
    ],
    "0012-contacts"
  ],
  [
    "An unsubscribed contact takes the reason along to another address, and the old address keeps it.",
    [at.decide("contact")],
    [contacts("take the reason along to another address, and the old address keeps it")],
    "0012-contacts"
  ],
  [
    "Unsubscribing by address unsubscribes the contact and emits; without a contact it only suppresses.",
    [at.decide("suppression"), at.service("Suppressions")],
    [
      contacts("mirror the reason unsubscribed and no other"),
      suppressionRaces("lets no final dot go once the suppression stands, and holds back nothing else")
    ],
    "0012-contacts"
  ],
  [
    "Properties are listed, created, changed and deleted; the type changes only while no contact has a value.",
    [at.service("Properties"), at.handler("contactGroups")],
    [
      wireGroups("properties are listed under data, changed and deleted"),
      contactGroups("have keys of their own, and a type that changes only while no contact has a value"),
      contactGroups("never take a value of the old type while the type changes"),
      contactGroups("lose their values with their definition, for good")
    ],
    "0025-properties"
  ],
  [
    "A property key is any one-line text; a fallback is text for every type and is compared as a value of the type.",
    [at.domain("Property"), at.decide("property"), at.domain("Segment")],
    [
      properties("may be any text: %j is stored, shown, found, exported and imported"),
      properties("of the type %s is the text %j, and is compared as a value of its type"),
      wireGroups("a property may have the key %j, in a request and in an answer"),
      wireGroups("the property %j is refused")
    ],
    "0025-properties"
  ],
  [
    "A type that changes while a contact gets a value is 409, or the value is 400.",
    [at.decide("property"), at.service("Properties")],
    [properties("is refused with 409, or done and the value refused with 400; never 503")],
    "0025-properties"
  ],
  [
    "Names and descriptions are one line, and the command prints nothing that a terminal acts on.",
    [at.domain("TextRule"), "packages/cli/src/output.ts"],
    [
      contactRequest("%s"),
      wireGroups("%s refuses control characters: %j"),
      commandOutput("shows an escape in place of each character that a terminal acts on"),
      commandOutput("is JSON on one line that says what was stored")
    ],
    "0034-checked-input"
  ],
  [
    "Lists are kept by name, and contacts put on and taken off.",
    [at.service("ContactLists"), at.handler("contactGroups")],
    [
      wireGroups("lists are named once, counted, and filter contacts"),
      contactGroups("a list shows who is on it and counts them, whoever puts them on twice")
    ],
    "0026-lists-and-segments"
  ],
  [
    "Segments have a closed filter over fields and properties, and every store finds the same by it.",
    [at.service("Segments"), at.domain("Segment"), at.domain("ContactPredicate")],
    [
      wireGroups("segments are kept as written and filter contacts"),
      contactGroups("a segment finds by fields, properties and lists, with the fallback in place of no value"),
      contactGroups("a segment's mistakes are each named by their place"),
      {
        file: "packages/conformance/src/store/segments.ts",
        title: "contacts/segment-means-what-it-says"
      }
    ],
    "0026-lists-and-segments"
  ],
  [
    "Suppressions are walked by address, added by hand and removed with all their reasons.",
    [at.service("Suppressions"), at.handler("suppressions")],
    [
      wireGroups("suppressions show the strongest reason and all of them, and go with all"),
      contactGroups("is walked by address with a cursor that belongs to its search"),
      contactGroups("lets an address go with all its reasons, and its contact be subscribed again")
    ],
    "0012-contacts"
  ],
  [
    "All reasons are kept and the strongest shown; a temporary failure lapses after 30 days.",
    [at.domain("Suppression")],
    [
      suppression("keeps all reasons and shows the strongest"),
      suppression("lapses for temporary failures after 30 days, and for nothing else")
    ],
    "0012-contacts"
  ],
  [
    "Contacts come and go as CSV, in process and by the command, each refused line told.",
    [at.service("ContactFiles"), "packages/cli/src/commands/contacts.ts"],
    [
      contactFiles("is taken in row by row, and each refused row is told by its line"),
      contactFiles("comes out as it can go in: another project ends with the same contacts"),
      commandRecords("contacts come in from a file, each refused line told, and go out again")
    ],
    "0029-contact-files"
  ],
  [
    "An export holds no formula, and an import reads what was written.",
    [at.domain("ContactFile")],
    [
      contactFile("is never a formula, and is read as the text that was written"),
      contactFile("is read as what was written, whatever the texts and the keys are")
    ],
    "0029-contact-files"
  ],
  [
    "All of it is the project's alone.",
    [at.domain("Query")],
    [wireGroups("nothing of it is another project's"), refusals("see nothing of each other by an id")]
  ]
])

export const domainsAndTemplates = settled(7, "Domains and templates", [
  [
    "Domains are listed, added, shown with the records to publish, verified and deleted.",
    [at.api("Domains"), at.handler("domains")],
    [
      wire("lists domains by page"),
      wireDomains("are verified by what is published, and failed by what is not"),
      wireDomains("are refused by form, and unknown elsewhere"),
      domains("that is removed sends nothing more, and can be added anew")
    ],
    "0013-domains"
  ],
  [
    "The list of domains takes status and search; a new domain may say `openTracking` false, and not true.",
    [at.api("Domains"), at.domain("SenderDomain")],
    [
      wireScope("are listed by %j"),
      wireScope("are created with openTracking false, and refused with true until tracking exists"),
      { file: "packages/conformance/src/store/contacts.ts", title: "domains/filters-narrow" }
    ],
    "0013-domains"
  ],
  [
    "A project has at most 1,000 domains, and keys are made one at a time, for what is not refused.",
    [at.service("Domains"), at.decide("senderDomain")],
    [
      domainBounds("refuses more than ${domainsMax} in a project"),
      domainBounds("makes no key for one that the project has already, or that is refused otherwise"),
      domainBounds("makes one key at a time, lets 16 more wait, and refuses the next as overloaded")
    ],
    "0034-checked-input"
  ],
  [
    "The records are a 2048-bit RSA key of our making, SPF and MX of the return path, and DMARC; the private half is encrypted at rest.",
    [at.decide("senderDomain"), at.service("Secrets")],
    [domains("shows the records to publish, with a key of its own whose private half is kept encrypted")],
    "0013-domains"
  ],
  [
    "Verify really asks DNS.",
    [at.service("Domains"), "packages/core/src/node/NodeDnsResolver.ts"],
    [
      wireDomains("are verified by what is published, and failed by what is not"),
      domains("is verified when DNS has what it must, and only then sends")
    ],
    "0013-domains"
  ],
  [
    "No such name, no data and a wrong value are definite; a failing server and a timeout demote nothing.",
    [at.decide("judgeDnsRecord")],
    [
      wireDomains("tell a server that does not answer from a name that is not there"),
      domains("is not demoted by %s"),
      domains("reads a key however it is spaced, and an SPF record with more in it")
    ],
    "0013-domains"
  ],
  [
    "A verified domain that fails definitely keeps sending for 24 h; it is checked by itself.",
    [at.decide("senderDomain"), at.service("Domains")],
    [domains("that was verified keeps sending for 24 hours of definite failure, and is checked by itself")],
    "0013-domains"
  ],
  [
    "Templates are listed by page, status, search, category and origin, the most recently updated first.",
    [at.api("Templates"), at.handler("templates"), at.service("Templates")],
    [
      wireTemplates("are listed by status, search and category, page by page"),
      templates("lists the most recently updated template first, and by each status")
    ],
    "0027-templates"
  ],
  [
    "Items of the list are without `html` and `text` of their versions; a page is at most 1 MiB.",
    [at.service("Templates"), at.decide("templateContent")],
    [
      wireTemplates("are a page of at most 1 MiB, whatever is stored"),
      templates("keeps bodies out of what a list of templates and versions loads"),
      templateDecisions("is bounded: %s")
    ],
    "0031-template-bounds"
  ],
  [
    "`GET .../versions` answers an array; fewer than `limit` means no more; bodies come within 4 MiB.",
    [at.api("Templates"), at.service("Templates")],
    [
      wireTemplates("keep every version, the published ones as they were"),
      wireTemplates("show the bodies of as many versions as 4 MiB hold, and of later ones no field"),
      templates("shows the bodies of the newest versions within the bound, and of no older one")
    ],
    "0031-template-bounds"
  ],
  [
    "`GET .../variables` answers the draft's, or the published version's when there is no draft.",
    [at.service("Templates")],
    [wireTemplates("show their variables, and what a send would say")],
    "0027-templates"
  ],
  [
    "`subject`, `html`, `text`, `alias` and `locale` are empty text where unset, never null.",
    [at.domain("Template"), at.decide("templateContent"), at.server("templateViews")],
    [
      wireTemplates("take null and empty text as not set, and show empty text"),
      templateDecisions("reads empty texts as texts that are not set")
    ],
    "0027-templates"
  ],
  [
    "`templateId` of a send and `{id}` of a route take an id or an alias.",
    [at.domain("Template"), at.service("Sending"), at.service("Templates")],
    [
      wireTemplates("are reached by id or alias on every route"),
      templates("sends and shows a template by its alias, and records its id")
    ],
    "0027-templates"
  ],
  [
    "A template's parse and rendering are bounded in time and size.",
    [at.domain("Mustache"), at.domain("TemplateValues"), at.decide("renderTemplate"), at.decide("previewText")],
    [
      mustache("reads 2 MiB of %s in linear time"),
      mustache("stops at the tag that makes the text too long"),
      previewText("looks at 2 MiB of %s once"),
      rendering("refuses large values in many tags before it has made what they say"),
      wireTemplates("refuse a value that is too large, by its name")
    ],
    "0031-template-bounds"
  ],
  [
    "In process a template is checked by the rules of the wire.",
    [at.service("Templates")],
    [templates("refuses in process what the wire refuses, and writes nothing")],
    "0027-templates"
  ],
  [
    "A template has a draft and a published version, each with its variables.",
    [at.domain("Template"), at.decide("template")],
    [wireTemplates("begin as a draft, version 1"), wireTemplates("show their variables, and what a send would say")],
    "0027-templates"
  ],
  [
    "A publish that names undeclared variables is refused.",
    [at.decide("template"), at.decide("renderTemplate")],
    [
      wireTemplates("are not published with what they do not declare, or twice"),
      rendering("needs a subject and one body")
    ],
    "0027-templates"
  ],
  [
    "Published versions never change; sends use the published one; versions are walked back.",
    [at.decide("template")],
    [
      wireTemplates("keep every version, the published ones as they were"),
      templateDecisions("never changes a body that a published version uses"),
      wireTemplates("are sent as published, whatever becomes of the draft, and the log says which")
    ],
    "0027-templates"
  ],
  [
    "`DELETE` archives, and an archived template sends nothing.",
    [at.decide("template")],
    [wireTemplates("refuse a send while unpublished, when archived, of another project, and when they are none")],
    "0027-templates"
  ]
])

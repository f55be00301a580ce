/**
 * Clarifications on contacts, lists, segments, suppressions, domains and templates.
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
  clarified,
  suppression,
  suppressionRaces,
  wire,
  wireDomains,
  wireGroups,
  wireScope,
  wireTemplates,
  templates,
  templateContent,
  templateDecisions,
  mustache,
  previewText
} from "./proofs.ts"
import { law } from "./faultProofs.ts"

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
      contactGroups("shows the block reason of a contact, except the reason unsubscribed")
    ],
    "0012-contacts"
  ],
  [
    "Delete erases the personal data. Only the suppression remains, under a keyed hash.",
    [at.decide("contact")],
    [contactGroups("keeps an anonymous suppression when a contact is erased")],
    "0012-contacts"
  ],
  [
    "`search` is a part of email, first name, last name or both names. The list is sorted newest first, and a page past the end is empty.",
    [at.domain("ContactPredicate"), "packages/sqlite/src/internal/contactQueries.ts"],
    [
      contacts("finds contacts by a part of the email or name: %s"),
      contacts("lists contacts newest first, in pages, with the total")
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
    ["packages/core/src/internal/contactReader.ts"],
    [contacts("filters contacts by status, and finds none for an unknown list or segment")],
    "0026-lists-and-segments"
  ],
  [
    "`properties` replaces all values, null is an absent value, and two spellings of a property key are 400.",
    [at.decide("contactProperties"), at.domain("ContactRequest")],
    [
      contactGroups("sets custom properties by key in any case, and refuses undefined keys and other types"),
      contactRequest("validates a new contact with %s")
    ],
    "0025-properties"
  ],
  [
    "`email_status` is `unsubscribed` exactly while the address has that suppression reason.",
    [at.domain("SubscriptionTable"), at.decide("suppression")],
    [
      contacts("sets the status unsubscribed only for the reason unsubscribed"),
      contacts("agrees with the suppression list after concurrent changes"),
      contacts("unsubscribes a contact that moves to an unsubscribed address")
    ],
    "0012-contacts"
  ],
  [
    "Unsubscribing emits an event only on a change. Subscribing or creating a contact removes only the reason `unsubscribed`.",
    [at.decide("contact")],
    [
      contacts("emits contact.unsubscribed only when the status changes"),
      contacts("removes only the reason unsubscribed when a contact is created")
    ],
    "0012-contacts"
  ],
  [
    "When an unsubscribed contact gets another address, both addresses have the reason.",
    [at.decide("contact")],
    [contacts("copies the reason unsubscribed to a new address, and keeps it at the old address")],
    "0012-contacts"
  ],
  [
    "Unsubscribing an address unsubscribes its contact and emits an event. Without a contact, it only suppresses the address.",
    [at.decide("suppression"), at.service("Suppressions")],
    [
      contacts("sets the status unsubscribed only for the reason unsubscribed"),
      suppressionRaces("finalizes no delivery after its suppression is committed, and hands over all others")
    ],
    "0012-contacts"
  ],
  [
    "Properties are listed, created, changed and deleted; the type changes only while no contact has a value.",
    [at.service("Properties"), at.handler("contactGroups")],
    [
      wireGroups("lists properties under data, changes them and deletes them"),
      contactGroups("refuses a duplicate property key, and changes a type only while no contact has a value"),
      contactGroups("stores no value of the old type while the type of a property changes"),
      contactGroups("removes the values of a property with the property, permanently")
    ],
    "0025-properties"
  ],
  [
    "A property key is any one-line text. A fallback is text for every type and is compared as a value of the type.",
    [at.domain("Property"), at.decide("property"), at.domain("Segment")],
    [
      properties("stores, shows, filters, exports and imports the property key %j"),
      properties("compares a fallback of type %s with the text %j as a value of its type"),
      wireGroups("accepts the property key %j in a request and returns it in a response"),
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
      contactGroups("lists suppressions by address, and refuses a cursor of another search"),
      contactGroups("removes all reasons of an address, and subscribes its contact again")
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

export const domainsAndTemplates = clarified(7, "Domains and templates", [
  [
    "Domains are listed, created, shown with the DNS records to publish, verified and deleted.",
    [at.api("Domains"), at.handler("domains")],
    [
      wire("lists domains by page"),
      wireDomains("verifies a domain when its DNS records are published, and fails it when a record is missing"),
      wireDomains("refuses an invalid domain and answers 404 for an unknown or deleted domain"),
      domains("deletes a domain, and permits creating it again")
    ],
    "0013-domains"
  ],
  [
    "The list of domains takes status and search. A new domain may have `openTracking` false; true is refused.",
    [at.api("Domains"), at.domain("SenderDomain")],
    [
      wireScope("lists domains for the query %j"),
      wireScope("accepts a domain with openTracking false and refuses one with openTracking true"),
      law("contacts")("domains/filters-narrow")
    ],
    "0013-domains"
  ],
  [
    "A project has at most 1,000 domains. DKIM keys are made one at a time, and none for a refused domain.",
    [at.service("Domains"), at.decide("senderDomain")],
    [
      domainBounds("refuses more than 1000 domains in a project"),
      domainBounds("generates no DKIM key for a domain that is refused"),
      domainBounds("generates one DKIM key at a time, queues 16 more, and refuses the next as overloaded")
    ],
    "0034-checked-input"
  ],
  [
    "The DNS records are a 2048-bit RSA key made by Mailkeep, SPF and MX of the return path, and DMARC. The private half is stored encrypted.",
    [at.decide("senderDomain"), at.service("Secrets")],
    [domains("shows the DNS records to publish, and stores the DKIM private key encrypted")],
    "0013-domains"
  ],
  [
    "Verify queries DNS.",
    [at.service("Domains"), "packages/core/src/node/NodeDnsResolver.ts"],
    [
      wireDomains("verifies a domain when its DNS records are published, and fails it when a record is missing"),
      domains("verifies a domain when DNS has its records, and permits sends only then")
    ],
    "0013-domains"
  ],
  [
    "A missing name, missing data or a wrong value is a definite failure. A failing server or a timeout changes no verified domain.",
    [at.decide("checkDnsRecord")],
    [
      wireDomains("distinguishes a name server that does not answer from a name that does not exist"),
      domains("keeps a domain verified after the DNS error %s"),
      domains("accepts a DKIM key with any spaces, and an SPF record with more terms")
    ],
    "0013-domains"
  ],
  [
    "A verified domain that fails definitely keeps sending for 24 h. Checks run automatically.",
    [at.decide("domainCheck"), at.service("Domains")],
    [domains("fails a verified domain after 24 hours of definite failures, and checks it by itself")],
    "0013-domains"
  ],
  [
    "Templates are listed by page, status, search, category and origin, the most recently updated first.",
    [at.api("Templates"), at.handler("templates"), at.service("Templates")],
    [
      wireTemplates("lists templates by status, search and category, page by page"),
      templates("lists templates by their latest update, and filters them by status")
    ],
    "0027-templates"
  ],
  [
    "Items of the list do not show `html` and `text` of their versions; a page has at most 1 MiB.",
    [at.service("Templates"), at.decide("templateContent")],
    [
      wireTemplates("limits a page of templates to 1 MiB, whatever is stored"),
      templates("loads no bodies for a list of templates or versions"),
      templateContent("refuses a template that is too large: %s")
    ],
    "0031-template-bounds"
  ],
  [
    "`GET .../versions` answers an array. Fewer items than `limit` mean that no more exist. Bodies are included up to 4 MiB.",
    [at.api("Templates"), at.service("Templates")],
    [
      wireTemplates("keeps every version of a template, and never changes a published version"),
      wireTemplates("shows the bodies of the first versions up to 4 MiB, and omits the body fields of later versions"),
      templates("shows the bodies of the newest versions up to the size limit, and of no older version")
    ],
    "0031-template-bounds"
  ],
  [
    "`GET .../variables` answers the variables of the draft, or of the published version when no draft exists.",
    [at.service("Templates")],
    [wireTemplates("shows the variables of a template and a preview of a send")],
    "0027-templates"
  ],
  [
    "Unset `subject`, `html`, `text`, `alias` and `locale` are empty text, never null.",
    [at.domain("TemplateInput"), at.decide("templateContent"), at.server("templateViews")],
    [
      wireTemplates("treats null and empty text of a template as not set, and shows empty text"),
      templateDecisions("reads an empty text as unset")
    ],
    "0027-templates"
  ],
  [
    "`templateId` of a send and `{id}` of a route take an id or an alias.",
    [at.domain("TemplateContent"), at.service("Sending"), at.service("Templates")],
    [
      wireTemplates("finds a template by id or alias on every route"),
      templates("sends and shows a template by its alias, and records its id")
    ],
    "0027-templates"
  ],
  [
    "The parsing and rendering of a template are bounded in time and size.",
    [at.domain("Mustache"), at.domain("TemplateValues"), at.decide("renderTemplate"), at.decide("previewText")],
    [
      mustache("parses 2 MiB of %s in linear time"),
      mustache("stops to render at the tag that makes the text too long"),
      previewText("reads 2 MiB of %s in linear time"),
      rendering("refuses large values in many tags before it renders them"),
      wireTemplates("refuses a template value that is too large, and names its field")
    ],
    "0031-template-bounds"
  ],
  [
    "In process, a template is validated with the same rules as over HTTP.",
    [at.domain("TemplateInput"), at.service("Templates")],
    [templates("refuses invalid fields of a template and writes nothing")],
    "0027-templates"
  ],
  [
    "A template has a draft and a published version, each with its variables.",
    [at.domain("Template"), at.decide("template")],
    [
      wireTemplates("creates a template as a draft with version 1"),
      wireTemplates("shows the variables of a template and a preview of a send")
    ],
    "0027-templates"
  ],
  [
    "A publish is refused when the draft names undeclared variables.",
    [at.decide("template"), at.decide("renderTemplate")],
    [
      wireTemplates("refuses to publish a template with undeclared variables, and refuses to publish a version twice"),
      rendering("requires a subject and one body to publish a template")
    ],
    "0027-templates"
  ],
  [
    "Published versions never change. Sends use the published version. Versions are listed newest first.",
    [at.decide("template"), at.decide("templateVersion")],
    [
      wireTemplates("keeps every version of a template, and never changes a published version"),
      templateDecisions("writes a new body when a published version uses the existing body"),
      wireTemplates("sends the published version of a template when the draft differs, and logs the template")
    ],
    "0027-templates"
  ],
  [
    "`DELETE` archives a template. An archived template sends nothing.",
    [at.decide("template")],
    [wireTemplates("refuses a send when its template is unpublished, archived, unknown or of another project")],
    "0027-templates"
  ]
])

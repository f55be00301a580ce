/**
 * Clarifications on domains and templates.
 */
import { law } from "./faultProofs.ts"
import {
  at,
  clarified,
  domainBounds,
  domainChecks,
  domains,
  domainVerification,
  mustache,
  previewText,
  rendering,
  templateContent,
  templateDecisions,
  templates,
  wire,
  wireDomains,
  wireOrder,
  wireScope,
  wireTemplatePages,
  wireTemplates,
  wireTemplateSends
} from "./proofs.ts"

export const domainsAndTemplates = clarified(7, "Domains and templates", [
  [
    "Domains are listed, created, shown with the DNS records to publish, verified and deleted.",
    [at.api("Domains"), at.handler("domains")],
    [
      wire("lists domains by page"),
      wireOrder("says on one domain that its details were fetched"),
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
      wireScope("allows a domain with openTracking false and refuses one with openTracking true"),
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
      domainVerification("verifies a domain when DNS has its records, and permits sends only then")
    ],
    "0013-domains"
  ],
  [
    "A missing name, missing data or a wrong value is a definite failure. A failing server or a timeout changes no verified domain.",
    [at.decide("checkDnsRecord")],
    [
      wireDomains("distinguishes a name server that does not answer from a name that does not exist"),
      domainVerification("keeps a domain verified after the DNS error %s"),
      domainVerification("allows a DKIM key with any spaces, and an SPF record with more terms")
    ],
    "0013-domains"
  ],
  [
    "A verified domain that fails definitely keeps sending for 24 h. Checks run automatically.",
    [at.decide("checkDomain"), at.service("Domains")],
    [domainChecks("fails a verified domain after 24 hours of definite failures, and checks it by itself")],
    "0013-domains"
  ],
  [
    "Templates are listed by page, status, search, category and origin, the most recently updated first.",
    [at.api("Templates"), at.handler("templates"), at.service("Templates")],
    [
      wireTemplatePages("lists templates by status, search and category, page by page"),
      templates("lists templates by their latest update, and filters them by status")
    ],
    "0027-templates"
  ],
  [
    "Items of the list do not show `html` and `text` of their versions; a page has at most 1 MiB.",
    [at.service("Templates"), at.decide("templateContent")],
    [
      wireTemplatePages("limits a page of templates to 1 MiB, whatever is stored"),
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
      wireTemplatePages(
        "shows the bodies of the first versions up to 4 MiB, and omits the body fields of later versions"
      ),
      templates("shows the bodies of the newest versions up to the size limit, and of no older version")
    ],
    "0031-template-bounds"
  ],
  [
    "`GET .../variables` answers the variables of the draft, or of the published version when no draft exists.",
    [at.service("Templates")],
    [wireTemplateSends("shows the variables of a template and a preview of a send")],
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
      wireTemplateSends("refuses a template value that is too large, and names its field")
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
      wireTemplateSends("shows the variables of a template and a preview of a send")
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
      wireTemplateSends("sends the published version of a template when the draft differs, and logs the template")
    ],
    "0027-templates"
  ],
  [
    "`DELETE` archives a template. An archived template sends nothing.",
    [at.decide("template")],
    [wireTemplateSends("refuses a send when its template is unpublished, archived, unknown or of another project")],
    "0027-templates"
  ]
])

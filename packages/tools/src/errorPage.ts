/**
 * The reference page of issue codes.
 */
import { issueCodes } from "@mailkeep/core/binding"
import { generatedNotice, table } from "./markdown.ts"

export const errorPage = (): string => `${generatedNotice("packages/core/src/domain/value/Issue.ts")}
# Issue codes

The parts of a request are checked in this order: \`path\`, \`headers\`, \`query\`, \`body\`. A 400 lists every problem of the first part that has one.
The list is \`details.issues\`; each item is \`{ path, code, message }\`. The codes are a closed list:

${table(
  ["Code", "Meaning"],
  Object.entries(issueCodes).map(([code, meaning]) => [`\`${code}\``, meaning])
)}
`

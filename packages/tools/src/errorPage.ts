/**
 * The reference page of issue codes.
 */
import { issueCodes } from "@mailkeep/core/domain"
import { generatedNotice, table } from "./markdown.ts"

export const errorPage = (): string => `${generatedNotice("packages/core/src/domain/Issue.ts")}
# Issue codes

A request that is refused with 400 names every problem of the first part that has any (\`path\`, \`headers\`, \`query\`, \`body\`, in this
order) in \`details.issues\`, each as \`{ path, code, message }\`. The codes are a closed list:

${table(
  ["Code", "Meaning"],
  Object.entries(issueCodes).map(([code, meaning]) => [`\`${code}\``, meaning])
)}
`

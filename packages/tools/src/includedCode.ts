/**
 * Includes files in pages: the code block behind a marker is a copy of the file that the marker names.
 */
import { read } from "./workspace.ts"

/** `<!-- file: PATH -->` and the block of code behind it. */
const block = /<!-- file: (\S+) -->\n+```(\w+)\n[\s\S]*?```/g

/** The page, with the current content of the file in each such block. */
export const withFiles = (page: string): string =>
  read(page).replaceAll(
    block,
    (_, file: string, language: string) => `<!-- file: ${file} -->\n\n\`\`\`${language}\n${read(file)}\`\`\``
  )

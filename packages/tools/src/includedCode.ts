/**
 * Pages that show a file whole: the block behind a marker is the file, word for word.
 */
import { read } from "./workspace.ts"

/** `<!-- file: PATH -->` and the block of code behind it. */
const block = /<!-- file: (\S+) -->\n+```(\w+)\n[\s\S]*?```/g

/** The page with every such block as its file is now. */
export const withFiles = (page: string): string =>
  read(page).replaceAll(
    block,
    (_, file: string, language: string) => `<!-- file: ${file} -->\n\n\`\`\`${language}\n${read(file)}\`\`\``
  )

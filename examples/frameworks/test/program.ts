/**
 * A product that another runtime runs. Its binary is in an npm package for each platform.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Product } from "./behavior.ts"
import { fetchAt } from "./behavior.ts"

const require = createRequire(import.meta.url)

/** The path of a file that belongs to an optional dependency of a package; `undefined` when it is not installed on this platform. */
export const binaryOf = (packageName: string, file: string): string | undefined => {
  try {
    return createRequire(require.resolve(`${packageName}/package.json`)).resolve(file)
  } catch {
    return undefined
  }
}

/** Starts the program with a mail file of its own. The first line of the program names its address and an API key. */
export const startProgram = async (binary: string, ...options: ReadonlyArray<string>): Promise<Product> => {
  const folder = mkdtempSync(join(tmpdir(), "mail-frameworks-"))
  const child = spawn(binary, options, {
    env: { ...process.env, MAIL_FILE: join(folder, "mail.db") },
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line") as Promise<[string]>,
    once(child, "exit").then(([code, signal]) => Promise.reject(new Error(`The program ended with ${code ?? signal}.`)))
  ])
  const { address, apiKey } = JSON.parse(line) as { readonly address: string; readonly apiKey: string }
  return {
    fetch: fetchAt(address),
    apiKey,
    close: async () => {
      child.kill("SIGKILL")
      await once(child, "close")
      rmSync(folder, { recursive: true })
    }
  }
}

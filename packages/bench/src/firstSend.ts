/**
 * The first minute of a product: how many packages an installation has, how large it is, and how long a new process takes until its first mail is
 * accepted. Mailkeep accepts it in an empty SQLite file, synced to the disk. The others have it accepted by `smtp-sink` on the same machine.
 *
 * Installs each product from packed files or the registry into a folder of its own, so it needs npm and `smtp-sink`.
 */
import { execFileSync } from "node:child_process"
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { machine, median } from "./machine.ts"
import { startSink } from "./smtpSink.ts"

const rounds = 9

interface Product {
  readonly name: string
  /** What `npm install` gets. */
  readonly packages: ReadonlyArray<string>
  /** Accepts one mail, and prints the milliseconds since the start of the process. */
  readonly program: string
}

const shown = "console.log(performance.now())"

const products = (tarballs: ReadonlyArray<string>, port: number): ReadonlyArray<Product> => [
  {
    name: "mailkeep",
    packages: tarballs,
    program: `
import { openMail, sqlite, stub } from "mailkeep"
const mail = await openMail({ store: sqlite("mail.db"), transport: stub(), domains: ["acme.example"] })
await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
${shown}
await mail.close()
`
  },
  {
    name: "nodemailer",
    packages: ["nodemailer"],
    program: `
import { createTransport } from "nodemailer"
const transport = createTransport({ host: "127.0.0.1", port: ${port}, ignoreTLS: true })
await transport.sendMail({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
${shown}
transport.close()
`
  },
  {
    name: "@upyo/smtp",
    packages: ["@upyo/core", "@upyo/smtp"],
    program: `
import { createMessage } from "@upyo/core"
import { SmtpTransport } from "@upyo/smtp"
const transport = new SmtpTransport({ host: "127.0.0.1", port: ${port}, secure: false })
const message = createMessage({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", content: { text: "Hello." } })
const receipt = await transport.send(message)
if (!receipt.successful) throw new Error(receipt.errorMessages.join())
${shown}
process.exit()
`
  }
]

interface Installed {
  readonly folder: string
  readonly packages: number
  readonly megabytes: number
}

const install = ({ packages, program }: Product): Installed => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-first-"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(join(folder, "program.js"), program)
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"]
  })
  const listed = execFileSync("npm", ["ls", "--all", "--parseable"], { cwd: folder, encoding: "utf8" })
  const files = globSync("node_modules/**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  // The first line is the product itself.
  return { folder, packages: listed.trim().split("\n").length - 1, megabytes: Math.round(bytes / 1e6) }
}

const firstSend = (folder: string): number => {
  for (const file of globSync("mail.db*", { cwd: folder })) rmSync(join(folder, file))
  return Number(execFileSync(process.execPath, ["program.js"], { cwd: folder, encoding: "utf8" }))
}

const packed = mkdtempSync(join(tmpdir(), "mailkeep-packed-"))
execFileSync(process.execPath, [
  fileURLToPath(new URL("../../tools/src/build.ts", import.meta.url)),
  "mailkeep",
  "--to",
  packed
])
const tarballs = globSync("*.tgz", { cwd: packed }).map((file) => join(packed, file))
const sink = await startSink()
const installed = products(tarballs, sink.port).map((product) => ({ product, ...install(product) }))
try {
  const times = installed.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++)
    for (const [n, { folder }] of installed.entries()) times[n]!.push(firstSend(folder))
  console.log(machine())
  for (const [n, { product, packages, megabytes }] of installed.entries())
    console.log(
      `${product.name.padEnd(12)} ${String(packages).padStart(3)} packages  ${String(megabytes).padStart(4)} MB  first accepted mail after ${Math.round(median(times[n]!))} ms (median of ${rounds})`
    )
} finally {
  sink.process.kill()
  for (const { folder } of installed) rmSync(folder, { recursive: true })
  rmSync(packed, { recursive: true })
}

/**
 * A product outside of the workspace, with the packages as they are published.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("../../..", import.meta.url))

/** Builds and packs the packages, and installs them into a product below the folder of the row. */
export const installProduct = async ({ rowFolder }: { readonly rowFolder: string }): Promise<void> => {
  const product = join(rowFolder, "product")
  if (existsSync(product)) return
  const packed = join(rowFolder, "packed")
  mkdirSync(packed)
  const build = ["packages/tools/src/build.ts", "mailkeep", "@mailkeep/cli", "@mailkeep/postgres", "--to", packed]
  execFileSync(process.execPath, build, { cwd: repository, stdio: "ignore" })
  mkdirSync(product)
  writeFileSync(join(product, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const tarballs = globSync("*.tgz", { cwd: packed }).map((file) => join(packed, file))
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs, "nodemailer", "pg"]
  execFileSync("npm", install, { cwd: product, stdio: ["ignore", "ignore", "inherit"] })
  writeFileSync(
    join(product, "mailkeep.js"),
    `import { openMail, sqlite, stub } from 'mailkeep'
const mail = await openMail({ store: sqlite(process.argv[2]), transport: stub(), domains: ["acme.example"] })
await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
console.log(performance.now())
await mail.close()
`
  )
  writeFileSync(
    join(product, "nodemailer.js"),
    `import { createTransport } from 'nodemailer'
const transport = createTransport({ host: "127.0.0.1", port: Number(process.argv[2]), ignoreTLS: true })
await transport.sendMail({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
console.log(performance.now())
transport.close()
`
  )
}

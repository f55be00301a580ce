/**
 * Rows: the time from the start of a process to its first accepted mail. The packages are built, packed and installed as in a product, so the rows need
 * npm.
 */
import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Target } from "../httpLoad.ts"
import { loadSends } from "../httpLoad.ts"
import { installProduct } from "../packedProduct.ts"
import type { Figures, RoundContext, Row } from "../Row.ts"
import { startSink } from "../smtpSink.ts"

const byHand = fileURLToPath(new URL("../peers/fastifyServer.ts", import.meta.url))

/** Runs a program of the product, which prints the milliseconds since its start. */
const firstMail = ({ rowFolder }: RoundContext, program: string, argument: string): Figures => {
  const cwd = join(rowFolder, "product")
  return { "first mail": Number(execFileSync(process.execPath, [program, argument], { cwd, encoding: "utf8" })) }
}

export const start: Row = {
  name: "start",
  title: "From the start of a process to the first accepted mail",
  about:
    "A new process imports `mailkeep`, opens an empty SQLite file and sends. The time ends when the mail is accepted and synced to the disk. The peer is a process with nodemailer, whose mail `smtp-sink` accepts on the same machine. The packages are built and installed as in a product.",
  metrics: [{ name: "first mail", unit: "ms", better: "lower" }],
  ours: {
    name: "mailkeep",
    run: async (context) => firstMail(context, "mailkeep.js", join(context.folder, "mail.db"))
  },
  peers: [
    {
      name: "nodemailer",
      needs: "smtp-sink",
      run: async (context) => {
        const sink = await startSink()
        try {
          return firstMail(context, "nodemailer.js", String(sink.port))
        } finally {
          sink.stop()
        }
      }
    }
  ],
  goals: [{ metric: "first mail", is: "at most", value: 250 }],
  prepare: installProduct
}

/** Starts a server, and returns the time until it has accepted the first mail. The first line of its output has its address. */
const firstAccepted = async (
  args: ReadonlyArray<string>,
  cwd: string,
  targetOf: (line: string) => Target
): Promise<Figures> => {
  const started = performance.now()
  // Each start is the first one: the command has no compiled code of an earlier start.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" }
  const server = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      await loadSends(targetOf(line), { first: 0, count: 1, connections: 1 })
      return { "first 202": performance.now() - started }
    }
    throw new Error("The server ended without an address.")
  } finally {
    server.kill("SIGKILL")
  }
}

export const serve: Row = {
  name: "serve",
  title: "From the start of a server to the first accepted mail",
  about:
    "`mailkeep start` opens an empty data folder, creates a project, a domain and an API key, and listens. The time ends with the first answer 202. The peer is the server that is written by hand with Fastify, which needs no project and no key.",
  metrics: [{ name: "first 202", unit: "ms", better: "lower" }],
  ours: {
    name: "mailkeep",
    run: ({ rowFolder, folder }) => {
      const cwd = join(rowFolder, "product")
      const command = join(cwd, "node_modules/.bin/mailkeep")
      return firstAccepted([command, "start", "--json", "--port", "0", "--data", join(folder, "data")], cwd, (line) => {
        const { url, key } = JSON.parse(line) as { readonly url: string; readonly key: string }
        return { url, secret: key, sender: "hello@demo.example" }
      })
    }
  },
  peers: [
    {
      name: "Fastify",
      run: ({ folder }) => {
        const program = `import { startFastify } from ${JSON.stringify(byHand)}
console.log(await startFastify(${JSON.stringify(join(folder, "hand.db"))}))`
        return firstAccepted(["--input-type=module", "--eval", program], folder, (url) => ({ url, secret: "none" }))
      }
    }
  ],
  goals: [{ metric: "first 202", is: "at most", value: 400 }],
  prepare: installProduct
}

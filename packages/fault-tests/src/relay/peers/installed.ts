/**
 * The programs of other authors that the runs with a real relay need, and what happens when this machine lacks them.
 */
import { spawnSync } from "node:child_process"
import type { FaultRun } from "../../FaultRun.ts"
import { unlessMissing } from "../../FaultRun.ts"

/** The programs of Debian are also in `/usr/sbin`, which is not in every `PATH`. */
export const environment = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`, LC_ALL: "C.UTF-8" }

/** Debian's Python, for which the package `python3-dkim` is installed. Another Python may come first in the `PATH`. */
export const python = "/usr/bin/python3"

const succeeds = (program: string, args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { env: environment, stdio: "ignore" }).status === 0

const isInstalled = (program: string): boolean => succeeds("sh", ["-c", `command -v ${program}`])

/** Each peer with the test for it. The key is a package of Debian, or a sentence about what is missing. */
const peers: Readonly<Record<string, () => boolean>> = {
  postfix: () => isInstalled("postfix"),
  "opendkim-tools": () => isInstalled("opendkim-testmsg"),
  "python3-dkim": () => succeeds(python, ["-c", "import dkim"]),
  "the user root": () => process.getuid?.() === 0
}

/** What this machine lacks. */
const missingPeers = (): ReadonlyArray<string> =>
  Object.entries(peers).flatMap(([name, isPresent]) => (isPresent() ? [] : [name]))

/** Does the run, or skips it with a reason when the machine lacks a peer. */
export const withPeers = (run: () => Promise<FaultRun>): Promise<FaultRun> =>
  unlessMissing("This run needs a real relay", missingPeers(), run)

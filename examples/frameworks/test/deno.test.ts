/**
 * The interface behind Deno, if its binary is installed.
 */
import { arch, platform } from "node:process"
import { it } from "node:test"
import { testProduct } from "./behavior.ts"
import { binaryOf, startProgram } from "./program.ts"

const system = platform === "linux" ? `linux-${arch}-glibc` : `${platform}-${arch}`
const binary = binaryOf("deno", `@deno/${system}/deno${platform === "win32" ? ".exe" : ""}`)
// The SQLite store is a native module, which needs `--allow-ffi`.
const permissions = ["net", "env", "read", "write", "sys", "ffi"].map((name) => `--allow-${name}`)

if (binary === undefined) it("runs behind Deno", { skip: "Deno has no binary for this platform" }, () => {})
else testProduct("Deno", () => startProgram(binary, "run", "--no-prompt", ...permissions, "src/deno.ts"))

/**
 * The interface behind Bun, if its binary is installed.
 */
import { arch, platform } from "node:process"
import { it } from "node:test"
import { testProduct } from "./behavior.ts"
import { binaryOf, startProgram } from "./program.ts"

const system = platform === "win32" ? "windows" : platform
const binary = binaryOf(
  "bun",
  `@oven/bun-${system}-${arch === "arm64" ? "aarch64" : arch}/bin/bun${platform === "win32" ? ".exe" : ""}`
)

if (binary === undefined) it("runs behind Bun", { skip: "Bun has no binary for this platform" }, () => {})
else testProduct("Bun", async () => ({ ...(await startProgram(binary, "src/bun.ts")), closesEarly: true }))

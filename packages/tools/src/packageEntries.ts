/**
 * The entries of the packages, from their manifests: `@mailkeep/core`, `@mailkeep/core/adapter`.
 */
import { files, read } from "./workspace.ts"

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
}

export const packageEntries: ReadonlyArray<string> = files("packages/*/package.json").flatMap((file) => {
  const { name, exports = {} } = JSON.parse(read(file)) as Manifest
  return Object.keys(exports).map((path) => name + path.slice(1))
})

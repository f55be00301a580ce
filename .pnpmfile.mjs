/**
 * Published manifests name ranges, so that a product has one copy of each library; the workspace itself pins exact versions.
 */
const exact = /^\d+\.\d+\.\d+$/

const withCarets = (dependencies = {}) =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [name, exact.test(version) ? `^${version}` : version])
  )

export const hooks = {
  beforePacking: (manifest) => ({ ...manifest, dependencies: withCarets(manifest.dependencies) })
}

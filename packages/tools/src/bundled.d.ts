/** The path of the bundle of a program. `bundledCommand.ts` makes it. */
declare module "*?bundled" {
  const path: string
  export default path
}

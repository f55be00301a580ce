/** The path of the bundle of a command. `bundledCommand.ts` of the tools makes it. */
declare module "*?bundled" {
  const path: string
  export default path
}

/**
 * Waits until a thread has loaded the driver before the thread is ended. Node ends the whole process (SIGABRT) when a thread is terminated
 * while it loads a native module. Loads no Effect.
 */

/** Shared with the thread: 0 until the thread has loaded the driver or has ended. */
export type DriverLoading = Int32Array<SharedArrayBuffer>

/** The thread of a process that hangs while it loads does not delay the end of the process longer than this. */
const exitDelayMillisMax = 2000

const underWay = new Set<DriverLoading>()

const waitAtExit = (): void => {
  for (const loading of underWay) Atomics.wait(loading, 0, 0, exitDelayMillisMax)
}

/** Call it before the thread starts. Until `endLoading`, the end of the process waits for the driver too. */
export const beginLoading = (): DriverLoading => {
  if (underWay.size === 0) process.on("exit", waitAtExit)
  const loading = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  underWay.add(loading)
  return loading
}

/** Call it in the thread when the driver is loaded. */
export const markLoaded = (loading: DriverLoading): void => {
  Atomics.store(loading, 0, 1)
  Atomics.notify(loading, 0)
}

/** Call it when the thread has ended. */
export const endLoading = (loading: DriverLoading): void => {
  markLoaded(loading)
  underWay.delete(loading)
  if (underWay.size === 0) process.off("exit", waitAtExit)
}

/** Waits until the driver is loaded or the thread has ended. */
export const whenLoaded = async (loading: DriverLoading): Promise<void> => {
  await Atomics.waitAsync(loading, 0, 0).value
}

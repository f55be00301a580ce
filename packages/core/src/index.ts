/**
 * What an embedding product imports: the services, and with them the domain and the ports.
 */
export * from "./domain/index.ts"
export * from "./port/index.ts"
export * from "./service/Access.ts"
export * from "./service/ApiKeys.ts"
export * from "./service/Contacts.ts"
export * from "./service/DeliveryLog.ts"
export * from "./service/Dispatcher.ts"
export * from "./service/Domains.ts"
export * from "./service/HandOffs.ts"
export * as MailCore from "./service/MailCore.ts"
export type { MailCoreOptions } from "./service/MailCore.ts"
export * from "./service/Projects.ts"
export * from "./service/Secrets.ts"
export * from "./service/Sending.ts"
export * from "./service/Suppressions.ts"
export * from "./service/WorkSignal.ts"

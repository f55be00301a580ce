/**
 * The contacts of one project, and their lists, properties, segments and suppressions, with promises.
 */
import type { Contact, ContactDetail } from "../domain/contact/Contact.ts"
import type { ContactList, CreateContactListInput, UpdateContactListInput } from "../domain/contact/ContactList.ts"
import type {
  ContactFilterInput,
  CreateContactInput,
  ListContactsInput,
  UpdateContactInput
} from "../domain/contact/ContactRequest.ts"
import type { CreatePropertyInput, Property, UpdatePropertyInput } from "../domain/contact/Property.ts"
import type { CreateSegmentInput, Segment, UpdateSegmentInput } from "../domain/contact/Segment.ts"
import type { Suppression } from "../domain/contact/Suppression.ts"
import type { ListSuppressionsInput } from "../domain/contact/SuppressionRequest.ts"
import type { CursorPage, Page, PageInput } from "../domain/store/Paging.ts"
import type { CallOptions } from "./CallOptions.ts"

/** A contact in a list, with the fields that the interface over HTTP shows. An embedded project returns more. */
export interface ListedContact extends Omit<Contact, "userId" | "source" | "updatedAt"> {}

/** A contact in full, with the fields that the interface over HTTP shows. An embedded project returns more. */
export interface KnownContact extends Omit<ContactDetail, "listIds"> {}

/** The people to whom a project sends mail. */
export interface ContactsHandle<Listed = ListedContact, Detail = KnownContact> {
  /**
   * One page of contacts, newest first, and the number of all contacts that match. Rejects with `ContactFilterTooSlow` when a search, a
   * segment, or a list together with an email status takes longer than 5 s. Rejects with `InvalidArgument` when a filter is not valid.
   */
  readonly list: (input?: ListContactsInput, options?: CallOptions) => Promise<Page<Listed>>
  /** All matching contacts, newest first, with constant memory use. */
  readonly each: (filter?: ContactFilterInput, options?: CallOptions) => AsyncIterable<Listed>
  /** A contact with its custom properties and its `blockReason`. Rejects with `ContactNotFound`. */
  readonly get: (contactId: string, options?: CallOptions) => Promise<Detail>
  /**
   * Creates a contact with the status `subscribed`, and removes the suppression reason `unsubscribed` of its address. Rejects with `InvalidArgument`
   * when a field is not valid or a property is not defined. Rejects with `ContactEmailTaken` when a contact of the project has the address, and
   * with `PlanLimitReached` when the plan permits no more contacts.
   */
  readonly create: (input: CreateContactInput, options?: CallOptions) => Promise<Contact>
  /**
   * Updates a contact. Fields that the input omits keep their values. Rejects with `ContactNotFound`, with `ContactEmailTaken` when another
   * contact has the address, and with `InvalidArgument` when a field is not valid or a property is not defined.
   */
  readonly update: (contactId: string, input: UpdateContactInput, options?: CallOptions) => Promise<Contact>
  /**
   * Deletes a contact. A suppression of its address stays, without the address in clear text. The delivery log keeps its deliveries. Rejects with
   * `ContactNotFound`.
   */
  readonly delete: (contactId: string, options?: CallOptions) => Promise<void>
}

/** The lists of contacts of a project. */
export interface ListsHandle {
  /** One page of the lists, newest first. */
  readonly list: (input?: PageInput, options?: CallOptions) => Promise<Page<ContactList>>
  /** All lists, newest first. */
  readonly each: (options?: CallOptions) => AsyncIterable<ContactList>
  /** A list. Rejects with `RecordNotFound`. */
  readonly get: (listId: string, options?: CallOptions) => Promise<ContactList>
  /**
   * Creates a list without contacts. Rejects with `NameTaken` when a list of the project has the name in any case, and with `TooManyRecords` when
   * the project has 1,000 lists.
   */
  readonly create: (input: CreateContactListInput, options?: CallOptions) => Promise<ContactList>
  /** Updates a list. Rejects with `RecordNotFound`, and with `NameTaken` when another list of the project has the name. */
  readonly update: (listId: string, input: UpdateContactListInput, options?: CallOptions) => Promise<ContactList>
  /** Deletes a list. Its contacts stay. Rejects with `RecordNotFound`. */
  readonly delete: (listId: string, options?: CallOptions) => Promise<void>
  /**
   * Adds a contact to a list. Writes nothing when the contact is already on the list. Rejects with `RecordNotFound` for an unknown list, with
   * `ContactNotFound`, and with `TooManyRecords` when the contact is on 100 lists.
   */
  readonly addContact: (listId: string, contactId: string, options?: CallOptions) => Promise<void>
  /**
   * Removes a contact from a list. Writes nothing when the contact is not on the list. Rejects with `RecordNotFound` for an unknown list, and with
   * `ContactNotFound`.
   */
  readonly removeContact: (listId: string, contactId: string, options?: CallOptions) => Promise<void>
}

/** The custom properties that the contacts of a project may have. */
export interface PropertiesHandle {
  /** All properties, newest first. A project has at most 200 properties. */
  readonly list: (options?: CallOptions) => Promise<ReadonlyArray<Property>>
  /**
   * Creates a property. Rejects with `InvalidArgument` when a field or the fallback is not valid, and with `NameTaken` when a property of the
   * project has the key in any case. Rejects with `TooManyRecords` when the project has 200 properties.
   */
  readonly create: (input: CreatePropertyInput, options?: CallOptions) => Promise<Property>
  /**
   * Updates a property. With another key, the filters of the segments that name the property get it too. Rejects with `PropertyInUse` for a change
   * of the type while a contact has a value of the property. Rejects with `RecordNotFound`, and with `NameTaken` when another property of the
   * project has the key.
   */
  readonly update: (propertyId: string, input: UpdatePropertyInput, options?: CallOptions) => Promise<Property>
  /** Deletes a property and its values on all contacts. Rejects with `RecordNotFound`. */
  readonly delete: (propertyId: string, options?: CallOptions) => Promise<void>
}

/** The segments of a project: stored filters of contacts. `contacts.list` lists the contacts of a segment. */
export interface SegmentsHandle {
  /** One page of the segments, newest first. */
  readonly list: (input?: PageInput, options?: CallOptions) => Promise<Page<Segment>>
  /** All segments, newest first. */
  readonly each: (options?: CallOptions) => AsyncIterable<Segment>
  /** A segment. Rejects with `RecordNotFound`. */
  readonly get: (segmentId: string, options?: CallOptions) => Promise<Segment>
  /**
   * Creates a segment. Rejects with `InvalidArgument`, which has an issue for each part of the filter that is not valid. Rejects with `NameTaken`
   * when a segment of the project has the name in any case, and with `TooManyRecords` when the project has 1,000 segments.
   */
  readonly create: (input: CreateSegmentInput, options?: CallOptions) => Promise<Segment>
  /** Updates a segment. Rejects with `RecordNotFound`, and like `create` when the name or the filter is not valid. */
  readonly update: (segmentId: string, input: UpdateSegmentInput, options?: CallOptions) => Promise<Segment>
  /** Deletes a segment. Its contacts stay. Rejects with `RecordNotFound`. */
  readonly delete: (segmentId: string, options?: CallOptions) => Promise<void>
}

/** The addresses that get no mail from a project, and the reasons. */
export interface SuppressionsHandle<Reason = "manual"> {
  /**
   * One page of the addresses that get no mail now, ordered by address, without the addresses of deleted contacts. A page may be short although
   * `hasMore` is `true`. Rejects with `InvalidArgument` for a cursor of another search.
   */
  readonly list: (input?: ListSuppressionsInput, options?: CallOptions) => Promise<CursorPage<Suppression>>
  /** All addresses that get no mail now, ordered by address. */
  readonly each: (filter?: Pick<ListSuppressionsInput, "search">, options?: CallOptions) => AsyncIterable<Suppression>
  /** Adds a reason and keeps the others. Resolves with the suppression and all its reasons. */
  readonly addReason: (email: string, reason: Reason, options?: CallOptions) => Promise<Suppression>
  /** Removes all reasons of an address. Rejects with `RecordNotFound` when the address is not suppressed. */
  readonly delete: (email: string, options?: CallOptions) => Promise<void>
}

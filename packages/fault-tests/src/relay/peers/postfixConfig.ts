/**
 * The configuration of the private Postfix: what it does with the mail for each domain of the tests.
 */

/** The ports and folders of one instance. */
export interface PostfixPlaces {
  readonly folder: string
  /** Takes all mail from the loopback interface, for any recipient. */
  readonly relayPort: number
  /** The same, but it answers a second after the end of each message. */
  readonly slowPort: number
  /** The next server: refuses unknown recipients and mail for other domains. */
  readonly strictPort: number
  /** Takes the mail for all domains that are not named below. */
  readonly collectorPort: number
  /** Takes the bounces. */
  readonly bouncePort: number
}

/** The domain of the return paths of the sender domain. Its mail goes to `bouncePort`. */
export const bounceHost = "bounces.shop.test"
/** Postfix keeps the mailboxes of this domain. Its mailboxes exist only for the names in `mailboxNames`. */
export const mailboxDomain = "mailbox.test"
const mailboxNames = ["ada", "full"] as const
/** The next server has no mailbox of this domain: `550 5.1.1`. */
export const refusingDomain = "unknown.test"
/** The next server does not relay mail to this domain: `554 5.7.1`. */
export const foreignDomain = "foreign.test"
/** The next server reports a full mailbox, `452 4.2.2`, until the relay stops trying. */
export const fullDomain = "full.test"
/** The next server reports a passing problem, `451 4.3.0`, until the relay stops trying. */
export const slowDomain = "slow.test"

/** The largest mailbox and the largest message, in bytes. The mailbox `full` has this size from the beginning. */
export const mailboxBytesMax = 30_000_000

const table = (entries: ReadonlyArray<readonly [key: string, value: string]>): string =>
  `inline:{ ${entries.map(([key, value]) => `{ ${key} = ${value} }`).join(", ")} }`

/** The text of `main.cf`. */
export const mainConfig = (
  places: PostfixPlaces,
  programs: { readonly daemons: string; readonly commands: string }
) => {
  const { folder, strictPort, collectorPort, bouncePort } = places
  const next = `smtp:[127.0.0.1]:${strictPort}`
  const settings: Readonly<Record<string, string>> = {
    compatibility_level: "3.6",
    queue_directory: `${folder}/queue`,
    data_directory: `${folder}/data`,
    command_directory: programs.commands,
    daemon_directory: programs.daemons,
    mail_owner: "postfix",
    setgid_group: "postdrop",
    maillog_file: `${folder}/mail.log`,
    maillog_file_prefixes: folder,
    myhostname: "relay.test",
    mydestination: "",
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    mynetworks: "127.0.0.0/8",
    alias_maps: "",
    alias_database: "",
    // Nothing leaves this machine, and no name server is asked.
    smtp_dns_support_level: "disabled",
    smtp_host_lookup: "native",
    default_transport: `smtp:[127.0.0.1]:${collectorPort}`,
    transport_maps: table([
      [bounceHost, `smtp:[127.0.0.1]:${bouncePort}`],
      [refusingDomain, next],
      [foreignDomain, next],
      [fullDomain, next],
      [slowDomain, next]
    ]),
    virtual_mailbox_domains: [mailboxDomain, refusingDomain, fullDomain, slowDomain].join(", "),
    virtual_mailbox_maps: table(mailboxNames.map((name) => [`${name}@${mailboxDomain}`, name])),
    virtual_mailbox_base: `${folder}/mailboxes`,
    virtual_mailbox_limit: String(mailboxBytesMax),
    virtual_uid_maps: "static:65534",
    virtual_gid_maps: "static:65534",
    virtual_minimum_uid: "100",
    // The relay learns of a problem after it has accepted the message, as a real relay does. Then it writes a bounce.
    smtpd_reject_unlisted_recipient: "no",
    // Postfix changes no header field, so that the collector gets what Mailkeep sent.
    local_header_rewrite_clients: "",
    message_size_limit: String(mailboxBytesMax),
    mailbox_size_limit: String(mailboxBytesMax),
    // A line feed alone may end the message, as on a relay before the year 2024. A message that smuggles another one shows as two.
    smtpd_forbid_bare_newline: "no",
    enable_long_queue_ids: "yes",
    // A temporary problem is tried again after 2 seconds, and bounces after 3.
    queue_run_delay: "1s",
    minimal_backoff_time: "2s",
    maximal_backoff_time: "2s",
    maximal_queue_lifetime: "3s",
    bounce_queue_lifetime: "3s",
    in_flow_delay: "0"
  }
  return `${Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join("\n")}\n`
}

const temporaryRefusals = table([
  [fullDomain, "452 4.2.2 The mailbox is full"],
  [slowDomain, "451 4.3.0 Try again later"]
])

/** What the next server does otherwise than the relay. Its name differs, or the relay reports a loop. */
const strictOptions = [
  "myhostname = next.test",
  "mynetworks =",
  "smtpd_reject_unlisted_recipient = yes",
  "smtpd_relay_restrictions = reject_unauth_destination",
  `smtpd_recipient_restrictions = check_recipient_access ${temporaryRefusals}`
]

/** The text of `master.cf`: the services, none of them in a changed root folder. */
export const masterConfig = ({ relayPort, slowPort, strictPort }: PostfixPlaces): string =>
  `${[
    `127.0.0.1:${relayPort} inet n - n - - smtpd`,
    `127.0.0.1:${slowPort} inet n - n - - smtpd`,
    "  -o { smtpd_end_of_data_restrictions = sleep 1 }",
    `127.0.0.1:${strictPort} inet n - n - - smtpd`,
    ...strictOptions.map((option) => `  -o { ${option} }`),
    "pickup unix n - n 60 1 pickup",
    "cleanup unix n - n - 0 cleanup",
    "qmgr unix n - n 300 1 qmgr",
    "rewrite unix - - n - - trivial-rewrite",
    "bounce unix - - n - 0 bounce",
    "defer unix - - n - 0 bounce",
    "trace unix - - n - 0 bounce",
    "verify unix - - n - 1 verify",
    "flush unix n - n 1000? 0 flush",
    "proxymap unix - - n - - proxymap",
    "smtp unix - - n - - smtp",
    "relay unix - - n - - smtp",
    "showq unix n - n - - showq",
    "error unix - - n - - error",
    "retry unix - - n - - error",
    "discard unix - - n - - discard",
    "virtual unix - n n - - virtual",
    "anvil unix - - n - 1 anvil",
    "scache unix - - n - 1 scache",
    "postlog unix-dgram n - n - 1 postlogd"
  ].join("\n")}\n`

/** Limits and defaults of the interface, with the unit in each name. Code and OpenAPI read them here. */

export const bodyMaxBytes = 1_048_576;
/** Of all arrays and objects together. zod fails with a RangeError instead of an answer at some 120,000 invalid values. */
export const bodyMaxValues = 50_000;
/** A typed value of Firestore, which has at most 20 levels of its own, has about 60. */
export const bodyMaxDepth = 100;

export const pageDefault = 50;
export const pageMax = 100;

export const accessTokenSeconds = 3_600;
/** Lifetime of a refresh token; each use replaces it. */
export const refreshTokenSeconds = 7 * 24 * 3_600;
/** Absolute lifetime of a session, however often it is refreshed (ASVS 10.4.8). */
export const sessionMaxSeconds = 30 * 24 * 3_600;
/** Lifetime of the one-time code between the callback and POST /auth/token. */
export const loginCodeSeconds = 60;
/** Time to complete the provider's consent screen. */
export const loginAttemptSeconds = 600;
/** Lifetime of the codes of a device sign-in, and the time between two polls (RFC 8628). */
export const deviceCodeSeconds = 600;
export const devicePollSeconds = 5;
/** Limits the `organizations` claim, which is only a hint, so that the token stays below header limits. */
export const tokenOrganizationsMax = 50;

export const invitationSeconds = 7 * 24 * 3_600;
export const recoverySeconds = 30 * 24 * 3_600;
export const idempotencySeconds = 24 * 3_600;
export const eventKeptSeconds = 30 * 24 * 3_600;

export const backupTimeoutMinutes = 30;
export const backupTimeoutMinutesMin = 5;
export const backupTimeoutMinutesMax = 720;

/** Chain length at which a synthetic full backup is built; a chain of the hard maximum takes no further incremental backup. */
export const chainSoftMax = 24;
export const chainHardMax = 2 * chainSoftMax;

/** How long a restore can be undone, and a failed one resumed. */
export const undoSeconds = 7 * 24 * 3_600;
export const restoreDocumentIdsMax = 1_000;
/** Rules of a masked copy; they are stored on the record of the restore. */
export const transformRulesMax = 200;
export const transformRulesMaxBytes = 24 << 10;
/** Columns of a CSV file that a request names; they are stored on the record of the export. */
export const exportColumnsMax = 200;
/** Of the files of an export that are downloaded through the service; larger ones are read from their bucket. */
export const downloadMaxBytes = 2 ** 30;
/** Files of an export that is only to be downloaded, unless it has another retention. */
export const downloadKeptDays = 1;
/** Of one call. In base64 it is less than the 6 MB that a function may return. */
export const downloadCallBytes = 4 << 20;
/** Firestore's documented maximum for one database. */
export const writesPerSecondMax = 10_000;

/** For one API call: less than API Gateway's 30 s, so that the service answers, not the gateway. */
export const endpointTimeoutSeconds = 20;

/** For one request to a webhook, from the DNS lookup to the last byte of the response. */
export const webhookTimeoutMs = 30_000;
export const webhookTimeoutMsMin = 100;
export const webhookTimeoutMsMax = 60_000;
/** A test runs within the API call. */
export const webhookTestTimeoutMs = (endpointTimeoutSeconds - 5) * 1_000;
/** Delays before attempts 2 to 5 in the standard format; the first attempt is immediate. */
export const retryDelaysSeconds = [60, 300, 1_800, 7_200] as const;
export const deliveryAttemptsMax = retryDelaysSeconds.length + 1;
export const deliveryKeptSeconds = eventKeptSeconds;
/** A webhook or an alert whose deliveries have all failed for this long is disabled. */
export const endpointDisabledAfterSeconds = 5 * 24 * 3_600;
/** Default per organization. An event creates at most this many deliveries, each with a copy of the event. */
export const webhooksPerOrganization = 100;
/** Maximum that a deployment can configure; event matching is designed for it. */
export const webhooksPerOrganizationMax = 1_000;
export const webhookUrlMax = 2_048;
export const webhookSecretMin = 16;
export const webhookSecretMax = 256;
export const webhookHeadersMax = 20;
/** Total size of header names and values; KMS encrypts at most 4,096 bytes at once. */
export const webhookHeadersMaxBytes = 3_500;
export const alertsPerOrganization = 20;
export const alertRecipientsMax = 20;
export const alertProjectsMax = 100;
/** Without a good backup for this long, the protection of a project has lapsed. */
export const lapsedAfterHours = 48;
export const lapsedAfterHoursMin = 1;
export const lapsedAfterHoursMax = 8_760;
/** Messages of one alert in an hour. The next one says that more are grouped; they follow in one message when the hour is over. */
export const alertMessagesPerHour = 20;
/** A further failure of an open incident is reported again after this time: once a day for what fails every day. */
export const reminderSeconds = 23 * 3_600;
/** Messages of an organization to one address that is no member's, in a day (UTC). Tests: of all organizations together. */
export const alertMailsPerOutsider = 50;
/** Messages of an organization to all such addresses in a day: as many as 20 of them may get. */
export const alertMailsToOutsiders = 1_000;
/** The same for all organizations of one owner: more organizations do not multiply it without end. */
export const alertMailsOfOwner = 5_000;
export const erasuresPerProject = 1_000;
export const erasurePathsMax = 1_000;
export const incidentKeptSeconds = 90 * 24 * 3_600;
/** An incident can be muted for so long at most: nothing is forgotten for good. */
export const muteDaysMax = 30;
/** A webhook is an incident after so many failed attempts in a row, or after it has failed for so long, whichever is first. */
export const webhookIncidentAfterFailures = 3;
export const webhookIncidentAfterSeconds = 15 * 60;
/** Invitation e-mails to one address in a day (UTC): by one organization or one user, and by all together. */
export const invitationsPerRecipient = 10;
export const invitationsPerRecipientInAll = 20;
/** Projects that the event of a member who left lists; an item of the table holds 400 KB. */
export const departureProjectsMax = 100;
export const apiKeysPerOrganization = 100;
export const apiKeyProjectsMax = 100;
export const apiKeyAddressesMax = 50;
/** An API key always expires: by default after 90 days, after a year at the latest. */
export const apiKeyDays = 90;
export const apiKeyDaysMax = 365;
/** An incident reports a key that expires within the first of these, and once more within the second. */
export const apiKeyWarningDays = [14, 3] as const;
export const overlapHours = 24;
export const overlapHoursMax = 168;

/** Minimum between two runs of a schedule, in local time. */
export const scheduleIntervalMinutesMin = 5;
export const schedulesPerOrganization = 100;
export const cronMax = 200;
export const retentionDaysMax = 3_650;
/** Per unit: days, weeks, months, years. */
export const retentionCountMax = 1_000;

export const pitrRetentionDays = 7;
export const pitrRetentionDaysMax = 365;
export const captureIntervalSeconds = 60;
export const captureIntervalSecondsMin = 10;
/** After a longer interruption Firestore bills a listener for all documents again. */
export const captureIntervalSecondsMax = 1_800;
/** Within so many days every document of a captured project is read again, and compared with what was captured. */
export const auditDays = 30;
export const auditDaysMin = 7;
export const auditDaysMax = 365;

export const nameMax = 100;
export const slugMin = 3;
export const slugMax = 40;

/** Timeout of the task worker for one batch. */
export const taskSeconds = 60;

/** Default per minute for one user or API key in one organization. */
export const requestsPerMinute = 3_000;
/** Share for each call that waits for customers' buckets, databases or webhooks: 300 of 3,000. At 20 s each, 100 concurrent functions. */
export const outsideShare = 1 / 10;
/** Share for calls that browse backups: 300 of 3,000. */
export const browsingShare = 1 / 10;
/** Concurrent jobs per organization, by default. */
export const concurrentBackups = 20;
export const concurrentRestores = 20;
export const concurrentExports = 10;
export const concurrentVerifications = 10;

export const plans = ['starter', 'professional', 'enterprise'] as const;
export type Plan = (typeof plans)[number];
/** The value for enterprise is a default that a deployment can change. */
export const auditRetentionDays: Readonly<Record<Plan, number>> = { starter: 30, professional: 90, enterprise: 365 };

/** Slugs that could be confused with paths of the service. */
export const reservedSlugs: readonly string[] = `admin api app auth billing console current docs health help internal login
  logout new null organization organizations public root settings status support system undefined www`.split(/\s+/);

/** Reads that one project may bill per hour to prove seconds at which capturing was interrupted. */
export const pastReadsPerHour = 60_000;
/** Point-in-time recovery refreshes the base backup of a project this often. */
export const baseRefreshSeconds = 24 * 3_600;
/** A quiet Listen stream asks the source for a consistent point this often. A stream is considered dead after 75 s without a message. */
export const consistentPointEveryMs = 20_000;
/** The share of a capture worker's timeout during which it starts new cycles. */
export const captureListenShare = 0.7;
/** A worker that begins later than this runs one cycle: one that keeps listening would make others wait, too. */
export const captureOverdueSeconds = 300;
/** How long two workers listen during a handover, billed and stored twice. A worker starts within seconds. */
export const captureHandoverSeconds = 30;

/* Restore tests. */
export const restoreTestsPerOrganization = 100;
/** A random backup is at most this old. */
export const randomDaysMax = 3_650;
export const sampleDocumentsMax = 1_000;
/** Differences shown on a run and in its evidence; `total` counts all. */
export const differencesShownMax = 100;
export const checkTimeoutSeconds = 300;
export const checkTimeoutSecondsMin = 5;
export const checkTimeoutSecondsMax = 24 * 3_600;
export const checkMessageMax = 1_000;

/** What limits an organization as a whole, with the defaults. A deployment can change them. */
export const organizationLimits = {
  schedules: schedulesPerOrganization,
  webhooks: webhooksPerOrganization,
  alerts: alertsPerOrganization,
  restoreTests: restoreTestsPerOrganization,
  concurrentBackups,
  concurrentRestores,
  concurrentExports,
  concurrentVerifications,
} as const;
export type OrganizationLimit = keyof typeof organizationLimits;
/** Maximum that a deployment can configure: lists are read as a whole, and every start counts the running jobs. */
export const organizationLimitsMax: Readonly<Record<OrganizationLimit, number>> = {
  schedules: 1_000,
  webhooks: webhooksPerOrganizationMax,
  alerts: 100,
  restoreTests: 1_000,
  concurrentBackups: 200,
  concurrentRestores: 200,
  concurrentExports: 200,
  concurrentVerifications: 200,
};

/** Fields of a project by whose values its backups are filtered. */
export const searchFieldsMax = 8;

/** Of a project. */
export const labelsMax = 10;

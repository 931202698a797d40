/** Descriptions of storage destinations, webhooks, sign-in, organizations, encryption, audit log and health. */
import * as z from 'zod/mini';
import { apiKeys } from '../endpoints/api-keys.ts';
import { AuditEntry, auditLogs } from '../endpoints/audit-logs.ts';
import { auth, SignInSession, sessions, TokenSet } from '../endpoints/auth.ts';
import { DeviceCode, DeviceRequest, device } from '../endpoints/device.ts';
import { encryption } from '../endpoints/encryption.ts';
import { invitations } from '../endpoints/invitations.ts';
import {
  CurrentOrganization,
  Deletion,
  Limits,
  LimitUse,
  Organization,
  organizations,
  Statistics,
} from '../endpoints/organizations.ts';
import { ServiceAccount, serviceAccount } from '../endpoints/service-account.ts';
import { StorageTest, storageFields } from '../endpoints/storage-destinations.ts';
import { Health } from '../endpoints/system.ts';
import { webhooks } from '../endpoints/webhooks.ts';
import { events } from '../events/event-catalogue.ts';
import { simpleEvents } from '../events/simple-events.ts';
import { apiKeyDays, apiKeyDaysMax, apiKeyWarningDays, departureProjectsMax, webhookSecretMin } from '../limits.ts';
import { ApiKey, ApiKeyWithSecret, KeyGrantor } from '../models/api-key.ts';
import { Encryption } from '../models/encryption.ts';
import { Invitation } from '../models/invitation.ts';
import { UnfinishedJob } from '../models/job.ts';
import { Member } from '../models/member.ts';
import { StorageDestination } from '../models/storage-destination.ts';
import { ProjectStorage, StorageUsage } from '../models/storage-usage.ts';
import { Delivery, DeliveryRequest, Webhook, WebhookEvent, WebhookWithSecret, webhookFields } from '../models/webhook.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const storageFailureKind =
  'denied: the credentials are unknown or lack a permission; missing: the bucket or the object does not exist; invalid: the store or its configuration is not as required; unavailable: no response, try again';

export const accountDescriptions: readonly FieldTexts[] = [
  fieldTexts(StorageDestination, {
    credentials:
      'Secrets are masked. Empty if workloadIdentity is used instead, or if the destination came with a moved project without its credentials',
    workloadIdentity: 'Of a destination that is accessed without a key: the pool provider that trusts this organization',
    lastError:
      'Why the status is error: the failed step of the test (null if a job failed), the kind of failure and its reason. Null while the destination is connected',
    externalId: 'The ExternalId that the trust policy of your role must require',
    sse: 'Server-side encryption of new objects; null uses the default of the bucket',
  }),
  fieldTexts(StorageDestination.shape.lastError.def.innerType, { kind: `${storageFailureKind}. Null if it is not known` }),
  fieldTexts(StorageUsage, {
    source: 'The records of backups and of captured changes: the bucket itself is not listed',
    isDefault: 'Whether it is the default of the organization',
    lockedUntil: 'When the last lock ends; null if nothing is locked',
    objects: 'Null if a backup was made before objects were counted, or was imported, or if captured is null',
    storedBytes: 'Of backups and captured changes',
    captured:
      'The part of it that captured changes of point-in-time recovery have; null if there are too many records to read in one call, then storedBytes and monthlyCost are without them',
    monthlyCost: 'By list price, for storage alone; null if no price of the store is known',
  }),
  fieldTexts(ProjectStorage, {
    name: 'Of a project that was disconnected: its name then',
    uses: 'default: backups go here unless they say otherwise; schedule: a schedule stores here; point-in-time: captured changes are here; backups: it has backups here',
    objects: 'Null if a backup was made before objects were counted, or was imported, or if captured is null',
    storedBytes: 'Of backups and captured changes',
    captured:
      'The part of it that captured changes of point-in-time recovery have; null if there are too many records to read in one call, then storedBytes and monthlyCost are without them',
  }),
  fieldTexts(StorageTest, { duration: 'Milliseconds' }),
  fieldTexts(StorageTest.shape.checks.def.element, { kind: `Of a failed step. ${storageFailureKind}` }),
  fieldTexts(z.object(storageFields), {
    credentials:
      's3: {accessKeyId, secretAccessKey} or {roleArn}; spaces: {accessKeyId, secretAccessKey}; gcs: {clientEmail, privateKey}, unless workloadIdentity is given. Replaces workloadIdentity',
    workloadIdentity:
      'gcs only, instead of credentials: access without a key, by a workload identity pool provider that trusts this organization. GET /projects/workload-identity with bucket has the commands that create it. A provider that also accepts other organizations of this service is refused. Replaces credentials, which are deleted',
    endpoint: 'Endpoint of an S3-compatible store; https with a public address',
    immutable: 'Objects in the bucket cannot be deleted, so deletion is never attempted',
    objectLock:
      'Locks every object of new backups for so many days. s3: requires a bucket with Object Lock. gcs: requires a bucket with object retention; governance is the mode Unlocked, compliance is Locked. Not for spaces',
    sse: 's3 and spaces only: server-side encryption of new objects; null uses the default of the bucket',
    sseKmsKeyId: 'Only with sse aws:kms; defaults to the default key of the account',
  }),
  fieldTexts(Webhook, {
    url: 'Whole for callers who may change webhooks (role admin, or scope organization:write). For others, every query value, the fragment, and every path segment that looks like a token are ********. A segment looks like a token if it has 7 or more characters and is not made of words (up to 15 characters, in usual spelling, possibly numbered) and numbers (up to 10 digits), joined by - _ . ~; if it has 32 or more characters; or if it has the prefix of a well-known issuer',
    headers: 'Values that look like credentials are masked',
    timeout: 'Milliseconds',
    failingSince: 'The first failed attempt since the last success; null if the last attempt succeeded',
    failureCount: 'Failed attempts since the last success. Attempts within the same second may count once',
    disabledReason: 'Why the service disabled the webhook',
  }),
  fieldTexts(WebhookWithSecret, {
    secret: 'Masked, except in the response that created it. Null if a simple webhook has no secret',
    previousSecretExpiresAt: 'Until then, deliveries are also signed with the previous secret',
  }),
  fieldTexts(WebhookEvent, {
    formats: 'The formats in which it is sent',
    samples: 'Bodies of requests, as the test endpoint sends them. simple is null if the event does not exist in that format',
  }),
  fieldTexts(Delivery, {
    status: 'skipped: progress of a job that was not sent, because a later step was delivered first',
    statusCode: 'Status of the last attempt; null without a response',
    timestamp: 'When the event happened',
    duration: 'Milliseconds of the last attempt',
    test: 'The delivery was sent by a test',
  }),
  fieldTexts(DeliveryRequest, {
    url: 'As sent. Tokens are masked, as for callers who may not change webhooks',
    headers: 'As sent. Signatures and values that look like credentials are masked',
    body: 'Exactly as sent',
  }),
  fieldTexts(z.object(webhookFields), {
    url: 'Where events are sent: https with a public address. Encrypted at rest if it contains a token. A masked URL is refused',
    events: 'Exact names, a prefix such as backup.*, or *',
    secret: `At least ${webhookSecretMin} bytes of key, decoded if it is whsec_ and base64. Null removes the secret of a simple webhook`,
    headers: 'Sent with every delivery',
    timeout: 'Milliseconds for one request',
    retryEnabled: 'Whether failed deliveries in the standard format are retried',
    filters:
      'Limits events to projects, and to or without backup triggers. An empty list is no filter. A change keeps the lists that are not given',
  }),
  fieldTexts(webhooks.test.body, { event: 'Event name; defaults to the first event that the webhook subscribes to' }),
  fieldTexts(webhooks.test.data, { statusCode: 'Null without a response', duration: 'Milliseconds' }),
  fieldTexts(webhooks.replay.body, {
    events: 'Only these of the subscribed events',
    status: 'missing: events that were never sent because the webhook was disabled or did not exist',
  }),
  fieldTexts(simpleEvents['backup.completed'], {
    originalSize: 'Bytes',
    compressedSize: 'Stored bytes',
    duration: 'Seconds',
  }),
  fieldTexts(TokenSet, {
    accessToken: 'JWT (RS256); verify it with the keys at /.well-known/jwks.json',
    refreshToken: 'Opaque; valid once, for 7 days',
    expiresIn: 'Lifetime of the access token in seconds',
  }),
  fieldTexts(auth.google.query, {
    redirect_uri:
      'Receives code and state, or error (access_denied if the consent was declined), error_description and state; must exactly match an entry of the allow-list',
    state: 'Returned unchanged with the code or the error, so that an app recognizes its own sign-in; requires redirect_uri',
    code_challenge:
      'PKCE (RFC 7636): base64url SHA-256 digest of a code_verifier, which POST /auth/token then requires; requires redirect_uri',
    code_challenge_method: 'Required with code_challenge; plain is not supported',
    login_hint: 'Passed to the identity provider: the account to sign in with',
  }),
  fieldTexts(auth.token.body, {
    redirect_uri: 'If given, it must be the one that the code was issued for',
    code_verifier: 'Required if, and only if, the sign-in had a code_challenge',
  }),
  fieldTexts(auth.refresh.body, { refreshToken: 'Required unless the session cookie carries it' }),
  fieldTexts(auth.refresh.data, { refreshToken: 'Absent if the session cookie carried it: the new one is set as a cookie' }),
  fieldTexts(device.start.body, { clientName: 'How the device calls itself, such as its host name; shown to the person' }),
  fieldTexts(DeviceCode, {
    deviceCode: 'Secret of the device; valid once, for expiresIn seconds',
    userCode: 'Eight letters without vowels, for the person; case and separators do not matter',
    verificationUri: 'The page where the person enters the code',
    verificationUriComplete: 'The same page with the code; the person still has to compare it with the device',
    expiresIn: 'Lifetime of both codes in seconds',
    interval: 'Seconds between two polls',
  }),
  fieldTexts(DeviceRequest, {
    clientName: 'As the device calls itself; nothing proves it',
    ip: 'The address that started the sign-in',
    location: 'Country, or country and place, of that address (DE, Berlin); null if the deployment is not behind CloudFront',
  }),
  fieldTexts(SignInSession, {
    kind: 'console: a browser that signed in to the console; device: by a code that the person approved; application: by a redirect',
    name: 'What a device calls itself, the host of an application, or the browser; null if it is unknown',
    lastUsedAt: 'Precise to a minute',
    address: 'The address of the last use',
    country: 'ISO 3166 code of the country of that address; null if it is unknown',
    current: 'Whether it is the one that makes this call',
  }),
  fieldTexts(sessions.revokeAll.body, { exceptCurrent: 'Keep the sign-in that makes this call' }),
  fieldTexts(sessions.revokeAll.data, { revoked: 'How many have ended' }),
  fieldTexts(Organization, { role: 'Role of the caller' }),
  fieldTexts(CurrentOrganization, {
    limits: 'What the organization may have, and run at once, with what it uses now',
    awsAccountId: 'The AWS account of this deployment: the trust policy of a role names arn:aws:iam::<awsAccountId>:root',
  }),
  fieldTexts(Limits, {
    concurrentBackups:
      'Pending and running backups. Scheduled runs beyond it wait (waitingFor); others are refused with JOB_IN_PROGRESS',
    concurrentRestores: 'Pending and running restores; more are refused with JOB_IN_PROGRESS',
    concurrentExports: 'Pending and running exports; more are refused with JOB_IN_PROGRESS',
    concurrentVerifications: 'Running verifications; more are refused with CONFLICT',
  }),
  fieldTexts(LimitUse, {
    limit: 'A setting of the deployment; what the operator lowers does not remove what exists',
    used: 'At the time of the response; projects that move here may bring more schedules than the limit',
  }),
  fieldTexts(Statistics, { storageUsed: 'Bytes' }),
  fieldTexts(Deletion, {
    recoveryDeadline: 'Until then the owner can recover the organization; null if it is deleted permanently',
    cancelledJobs:
      'With cancelJobs: what was cancelled, as it ended; also restores that were cancelled within the last 15 minutes, because an earlier call may have done that. They can be undone until recoveryDeadline, after a recovery',
  }),
  fieldTexts(UnfinishedJob, {
    projectId: 'Of a restore the target',
    status: 'A restore that has failed is listed until nothing writes for it any more',
    cancelling: 'It was cancelled, and has not stopped yet',
    documentsWritten:
      'Documents that a restore wrote or deleted; of a restore test those that it has not removed. A backup writes none',
  }),
  fieldTexts(serviceAccount.create.body, {
    permissions: 'At least one; defaults to all read scopes. Only erasures:write, which no other scope includes, allows erasures',
  }),
  fieldTexts(serviceAccount.rotateKey.body, { overlapHours: 'How long the old key also works' }),
  fieldTexts(apiKeys.create.body, {
    role: 'The key never does more than a person of this role; defaults to viewer',
    permissions: 'Scopes; defaults to all read scopes. The key does what its role and its permissions both allow',
    projectIds: 'Limits the key to these projects: others do not exist for it. Null: all projects',
    allowedAddresses:
      'IP addresses and ranges (CIDR, IPv4 and IPv6) from which the key may be used; single addresses become ranges. Null: any address',
    expiresAt: `Defaults to ${apiKeyDays} days from now, at most ${apiKeyDaysMax} days. A key always expires`,
  }),
  fieldTexts(apiKeys.update.body, {
    projectIds: 'Null: all projects',
    allowedAddresses: 'Null: any address',
    expiresAt: `At most ${apiKeyDaysMax} days from now; also brings back a key that has expired`,
  }),
  fieldTexts(apiKeys.rotate.body, {
    overlapHours: 'How long the old text also works, but never beyond its own expiry; 0 ends it at once',
    expiresAt: 'Without it the new text lives as long as the old one was meant to',
  }),
  ...[ApiKey, ApiKeyWithSecret].map((schema) =>
    fieldTexts(schema, {
      role: 'The key never does more than a person of this role',
      projectIds: 'Null: all projects',
      allowedAddresses: 'Ranges in CIDR notation; null: any address',
      status: `expiring: within ${apiKeyWarningDays[0]} days; of a key for at most ${apiKeyWarningDays[0]} days within ${apiKeyWarningDays[1]}, of one for at most ${apiKeyWarningDays[1]} never. expired: calls with it answer 401`,
      lastUsedAt: 'Recorded at most once a minute',
      createdBy: 'Who made the key. It belongs to the organization, and stays when this person leaves',
      grantedBy:
        'Who last made, rotated or widened the key. Without credentials the key connects databases with the Google access of this person, while they are a member',
      previousKeyExpiresAt: 'Until then the text before the last rotation also works',
    }),
  ),
  fieldTexts(KeyGrantor, { role: 'The role of this person now; null: no longer a member of the organization' }),
  fieldTexts(ApiKeyWithSecret, { apiKey: 'Shown only in this response' }),
  fieldTexts(events['member.left'], {
    projects: `Projects that were connected with the grant of the member and must be reconnected; at most ${departureProjectsMax}`,
    projectCount: 'How many projects must be reconnected, also those that are not listed',
    serviceAccount: 'The service account whose key ended with the membership',
  }),
  fieldTexts(organizations.update.body.shape.settings.def.innerType, {
    timezone: 'IANA time zone of schedules and times, such as Europe/Berlin',
  }),
  fieldTexts(organizations.remove.body, {
    confirmName: 'Exact name of the organization',
    deleteBackupData: 'With force: also delete the objects in your buckets',
    cancelJobs:
      'Cancels running backups, restores and restore tests first, and waits until nothing writes any more. Without it, running jobs refuse the deletion with JOB_IN_PROGRESS, and details.jobs names them. If they do not stop within 14 seconds, the answer is JOB_IN_PROGRESS, too: repeat the call, which continues',
  }),
  fieldTexts(Member, { lastActiveAt: 'Equals joinedAt until the member is active for the first time' }),
  fieldTexts(Invitation, { acceptUrl: 'The link in the invitation e-mail' }),
  fieldTexts(invitations.list.list, { token: 'Views, accepts and declines the invitation, as the link of its e-mail does' }),
  fieldTexts(ServiceAccount, {
    email: 'Identity of the account in audit logs',
    apiKey: 'Shown only in this response',
    createdBy: 'The user whose membership the key depends on: who created, rotated or took it over last',
    status: 'ended: that user left the organization, and the key is refused; rotate it to get a new one',
    previousKeyExpiresAt: 'Until then the key before the last rotation also works',
  }),
  fieldTexts(Encryption, {
    mode: 'customer: the data keys of backups are wrapped with your passphrase',
    rewrap: 'Whether data keys of earlier backups are still being rewrapped',
  }),
  fieldTexts(encryption.set.body, {
    passphrase: 'With customer: at least 8 characters. Keep it safe: without it the backups cannot be decrypted',
  }),
  fieldTexts(AuditEntry.shape.context, {
    location:
      'Country of the caller (ISO 3166), or country and place if CloudFront reported it with the request: DE, or DE, Berlin. Without CloudFront the country is looked up by the address in an offline table, so it may be that of a provider. Null for private and unknown addresses and for actions of the service itself',
  }),
  fieldTexts(auditLogs.list.query, {
    id: 'One entry',
    resourceId: 'What happened to one resource: its id, such as that of a backup',
    search:
      'Words that must all occur in the action, actor, resource, context or details, in any case; also as the console shows them, such as the current name of the project or person',
    from: 'Inclusive; a date means midnight UTC',
    to: 'Inclusive; a date means the whole day, UTC',
  }),
  fieldTexts(Health.shape.checks.def.innerType, {
    redis: 'The work queue; the name is historical',
    storage: 'Data at rest: its key is reachable and its stream is enabled',
  }),
];
